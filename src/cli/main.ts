/** `almanac`: runs the command line of this process. */
import { outliveReaders } from '../node/closed-output.ts'
import { runCommand } from './commands.ts'

outliveReaders()
void runCommand(process.argv.slice(2)).then((code) => {
  process.exitCode = code
})
