while readLine() != nil { print(0) }
