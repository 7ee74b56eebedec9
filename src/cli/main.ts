/** `almanac`: runs the command line of this process. */
import { runCommand } from './commands.ts'

void runCommand(process.argv.slice(2)).then((code) => {
  process.exitCode = code
})
