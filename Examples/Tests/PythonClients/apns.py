"""Sends notifications by aioapns, a client of Apple's push service, all at once over one connection.

    SSL_CERT_FILE=authority.pem python apns.py apns.json [WIDTH] < notifications

With a width, no more than so many are on their way at a time, and what a connection that ended left is sent
again over the next one.
The notifications are a JSON array of {"token": ..., "payload": {...}}. For each, a line has what the client
made of it, and a last one how many connections it took.
"""

import asyncio
import json
import os
import sys
from urllib.parse import urlsplit

from aioapns import APNs, NotificationRequest
from aioapns import connection

place = json.load(open(sys.argv[1]))
address = urlsplit(place["url"])
width = int(sys.argv[2]) if len(sys.argv) > 2 else None
# The client has no setting for where APNs is; all else is the client as it came.
connection.APNsProductionClientProtocol.APNS_SERVER = address.hostname
connection.APNsProductionClientProtocol.APNS_PORT = address.port


async def main():
    key = os.path.join(os.path.dirname(sys.argv[1]), place["key_file"])
    connections = []
    made = connection.APNsProductionClientProtocol.connection_made

    def counted(protocol, transport):
        connections.append(protocol)
        made(protocol, transport)

    connection.APNsProductionClientProtocol.connection_made = counted
    client = APNs(
        key=open(key).read(),
        key_id=place["key_id"],
        team_id=place["team_id"],
        topic=place["topic"],
        max_connections=1,
        max_connection_attempts=1 if width is None else 5,
    )
    requests = [
        NotificationRequest(device_token=fields["token"], message=fields["payload"])
        for fields in json.load(sys.stdin)
    ]
    slots = asyncio.Semaphore(width or len(requests))

    async def send(request):
        async with slots:
            return await client.send_notification(request)

    for result in await asyncio.gather(*map(send, requests)):
        print(json.dumps({"status": result.status, "reason": result.description}))
    print(json.dumps({"connections": len(connections)}))


asyncio.run(main())
