/** The command line of the build that `TEST_BUILD` names, or of the unchanged build. */
import { runCommand } from '../../../src/cli/commands.ts'
import { buildOfProcess } from './builds.ts'

process.exitCode = await runCommand(process.argv.slice(2), buildOfProcess())
