import Foundation

while let line = readLine() { print(Data(line.utf8).count) }
