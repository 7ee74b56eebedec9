/** The entry point of `almanac`: runs the command line of this process. */
import { ignoreClosedOutput } from '../node/closed-output.ts'
import { runCommand } from './commands.ts'

ignoreClosedOutput()
void runCommand(process.argv.slice(2)).then((code) => {
  process.exitCode = code
})
