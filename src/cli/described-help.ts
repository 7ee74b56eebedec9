/** Help of commands that the API's descriptors make. Its texts are the comments of `proto/`, which are read when help is shown. */
import { type Argument, type Command, Help, type Option } from 'commander'
import { type Description, describe } from '../identity/descriptions.ts'
import { almanac } from '../identity/profiles/almanac.ts'

const names = new WeakMap<Command | Option | Argument, string>()
const plain = new Help()

/** Notes the neutral full name of the operation or field that a part of a command stands for. Returns the part. */
export function describedBy<Part extends Command | Option | Argument>(part: Part, neutralName: string): Part {
  names.set(part, neutralName)
  return part
}

function find(part: Command | Option | Argument): Description | undefined {
  const name = names.get(part)
  return name === undefined ? undefined : describe(almanac, name)
}

function fieldText({ text, unit, example }: Description): string {
  return [text, unit && `Unit: ${unit}.`, example && `Example: ${example}`].filter(Boolean).join(' ')
}

function withNote(part: Option | Argument, otherwise: string): string {
  const found = find(part)
  if (!found) return otherwise
  return part.description ? `${fieldText(found)} (${part.description})` : fieldText(found)
}

function operationText(command: Command, fallback: string): string {
  const found = find(command)
  if (!found) return fallback
  const errors = found.errors.map(({ status, cause }) => `  ${status}: ${cause}`)
  return [found.text, '', fallback, ...(errors.length > 0 ? ['', 'Errors:', ...errors] : [])].join('\n')
}

/** Makes the help of a command, and of the commands that are added to it later, show descriptions. */
export function showDescriptions(command: Command): Command {
  return command.configureHelp({
    optionDescription: (option) => withNote(option, plain.optionDescription(option)),
    argumentDescription: (argument) => withNote(argument, plain.argumentDescription(argument)),
    subcommandDescription: (one) => find(one)?.summary ?? plain.subcommandDescription(one),
    commandDescription: (one) => operationText(one, plain.commandDescription(one)),
    /** Arguments are listed only if one of them has a text, which the plain help looks up in the argument itself. */
    visibleArguments: (one) =>
      [...one.registeredArguments].filter((argument) => names.has(argument) || argument.description),
  })
}
