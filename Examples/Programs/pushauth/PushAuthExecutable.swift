import LinkedVendors
import PushAuthCommand

@main
enum PushAuthExecutable {
    static func main() async {
        await PushAuthProgram.run(linking: LinkedVendors.all)
    }
}
