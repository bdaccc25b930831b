/* Compare-and-set against etcd's JSON gateway by libcurl alone: what a store's write is measured by.
   cc -O2 etcd-cas.c -o etcd-cas -lcurl -lpthread && ./etcd-cas http://127.0.0.1:2379 8 5
   prints how many a second 8 clients make in 5 seconds, each on a record of its own of 4,800 bytes. */
#include <curl/curl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { bytes = 4800, encoded = (bytes + 2) / 3 * 4 };
static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static char url[512];
static double seconds;

struct reply { char text[65536]; size_t count; };
struct client { pthread_t thread; int number; long writes; int failed; };

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static size_t take(char *data, size_t size, size_t count, void *user) {
    struct reply *reply = user;
    size_t length = size * count;
    if (reply->count + length >= sizeof reply->text) return 0;
    memcpy(reply->text + reply->count, data, length);
    reply->count += length;
    reply->text[reply->count] = 0;
    return length;
}

static void *run(void *argument) {
    struct client *client = argument;
    struct reply reply;
    char key[32], value[encoded + 1], body[encoded + 1024], revision[32] = "0";
    unsigned seed = 7919u * (unsigned)client->number + (unsigned)time(NULL);
    CURL *curl = curl_easy_init();
    struct curl_slist *fields = curl_slist_append(NULL, "Content-Type: application/json");
    for (int i = 0; i < 28; i++) key[i] = digits[rand_r(&seed) % 64];
    key[28] = 0;
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, fields);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &reply);
    curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
    for (double end = now() + seconds; now() < end; client->writes++) {
        for (int i = 0; i < encoded; i++) value[i] = digits[rand_r(&seed) % 64];
        value[encoded] = 0;
        snprintf(body, sizeof body,
                 "{\"compare\":[{\"target\":\"MOD\",\"result\":\"EQUAL\",\"key\":\"%s\","
                 "\"mod_revision\":\"%s\"}],\"success\":[{\"request_put\":{\"key\":\"%s\","
                 "\"value\":\"%s\"}}],\"failure\":[{\"request_range\":{\"key\":\"%s\"}}]}",
                 key, revision, key, value, key);
        reply.count = 0;
        reply.text[0] = 0;
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);
        const char *found = NULL;
        if (curl_easy_perform(curl) == CURLE_OK && strstr(reply.text, "\"succeeded\":true"))
            found = strstr(reply.text, "\"revision\":\"");
        if (!found || sscanf(found + 12, "%31[0-9]", revision) != 1) {
            fprintf(stderr, "etcd refused a write: %s\n", reply.text);
            client->failed = 1;
            break;
        }
    }
    curl_slist_free_all(fields);
    curl_easy_cleanup(curl);
    return NULL;
}

int main(int count, char **arguments) {
    int clients = count == 4 ? atoi(arguments[2]) : 0;
    if (clients < 1 || clients > 1000) {
        fprintf(stderr, "usage: %s URL CLIENTS SECONDS\n", arguments[0]);
        return 2;
    }
    snprintf(url, sizeof url, "%s/v3/kv/txn", arguments[1]);
    seconds = atof(arguments[3]);
    curl_global_init(CURL_GLOBAL_ALL);
    struct client *all = calloc((size_t)clients, sizeof *all);
    double start = now();
    for (int i = 0; i < clients; i++) {
        all[i].number = i;
        pthread_create(&all[i].thread, NULL, run, &all[i]);
    }
    long writes = 0;
    int failed = 0;
    for (int i = 0; i < clients; i++) {
        pthread_join(all[i].thread, NULL);
        writes += all[i].writes;
        failed |= all[i].failed;
    }
    printf("%.1f\n", writes / (now() - start));
    free(all);
    return failed;
}
