/** The names of subcommands in errors of the command line. */
import type { Command } from 'commander'

/** Makes the error for an unknown subcommand list those that exist, unless it names one that is close. Returns the command. */
export function listsCommands(program: Command): Command {
  for (const command of program.commands) listsCommands(command)
  if (program.commands.length === 0) return program
  const { outputError } = program.configureOutput()
  const names = program.commands.map((command) => command.name()).sort()
  return program.configureOutput({
    outputError(text, write) {
      const isListed = text.startsWith('error: unknown command') && !text.includes('Did you mean')
      const listed = isListed ? `${text}(one of: ${names.join(', ')})\n` : text
      if (outputError) outputError(listed, write)
      else write(listed)
    },
  })
}
