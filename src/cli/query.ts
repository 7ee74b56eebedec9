/** `almanac query MODULE OPERATION`: runs any GET operation of the descriptors. */
import { type DescField, isMessage, ScalarType } from '@bufbuild/protobuf'
import { Argument, Command } from 'commander'
import { createRouter, type Route } from '../api/rest/routes.ts'
import { FieldViolationSchema } from '../gen/chain/errors/v1/errors_pb.ts'
import { almanac } from '../identity/profiles/almanac.ts'
import { methods } from '../identity/registry.ts'
import { ChainError, queryError } from '../primitives/errors.ts'
import { addReadOptions, openNode, type ReadFlags } from './client.ts'
import { listsCommands } from './command-list.ts'
import { describedBy, showDescriptions } from './described-help.ts'
import { addFieldFlags, type FieldFlag, fieldFlags, fullName, kebab, optionKey, requestJson } from './flags.ts'
import { formatOutput, parseOutputFormat } from './output.ts'
import { addBlockQueries, addParamsQuery, addRewardsQuery, addTxLookup } from './query/blocks.ts'
import { addDevgasQueries } from './query-devgas.ts'
import { addUpgradeQueries } from './query-upgrade.ts'
import { moduleAliases, nameAliases } from './short-names.ts'
import { processTerminal, type Terminal } from './terminal.ts'

/** Returns the module of a package, the part before the version: `evm` for `chain.evm.v1`. */
export function moduleOf(packageName: string): string {
  return packageName.split('.').at(-2) ?? packageName
}

/** Orders stable versions of a service before others: `v1` before `v1beta1`. */
function byVersion(a: Route, b: Route): number {
  const version = ({ rpc }: Route) => rpc.parent.file.proto.package.split('.').at(-1)!
  const stable = (route: Route) => (/^v\d+$/.test(version(route)) ? 0 : 1)
  return stable(a) - stable(b)
}

/** Returns the operations of the command line, one for each method, by module and name. */
function operations(): Map<string, Map<string, Route>> {
  const modules = new Map<string, Map<string, Route>>()
  const routes = createRouter(almanac, methods.values()).routes.filter(({ verb }) => verb === 'GET')
  for (const route of [...routes].sort(byVersion)) {
    const module = moduleOf(route.rpc.parent.file.proto.package)
    const operationsOfModule = modules.get(module) ?? new Map<string, Route>()
    const name = kebab(route.rpc.name)
    if (!operationsOfModule.has(name)) operationsOfModule.set(name, route)
    modules.set(module, operationsOfModule)
  }
  return modules
}

/** Returns path and query string of a request. Path values are percent-encoded, slashes included. */
export function requestPath(
  route: Route,
  values: readonly string[],
  fields: Readonly<Record<string, unknown>>,
): string {
  let next = 0
  const path = route.template.replace(/\{[^}]+\}/g, () => encodeURIComponent(values[next++] ?? ''))
  const search = new URLSearchParams()
  for (const [name, value] of flatten(fields)) search.append(name, value)
  if (route.by !== '') search.set('by', route.by)
  const query = search.toString()
  return query === '' ? path : `${path}?${query}`
}

/** Returns a path in the names that public clients know, so that the answer's type URLs have them (D18). */
function withCommonNames(path: string): string {
  return path.replace(/^\/sdk\//, '/cosmos/')
}

function* flatten(fields: Readonly<Record<string, unknown>>, prefix = ''): IterableIterator<[string, string]> {
  for (const [name, value] of Object.entries(fields)) {
    if (Array.isArray(value)) for (const item of value) yield [prefix + name, String(item)]
    else if (typeof value === 'object' && value !== null) {
      yield* flatten(value as Record<string, unknown>, `${prefix}${name}.`)
    } else yield [prefix + name, String(value)]
  }
}

async function run(
  route: Route,
  flags: readonly FieldFlag[],
  values: readonly string[],
  command: Command,
  terminal: Terminal,
) {
  const options = command.opts<ReadFlags>()
  const format = parseOutputFormat(options.output)
  const given = withPositional(flags, values.slice(route.variables.length), command.opts())
  const inPath = withValidatorFirst(route, values.slice(0, route.variables.length))
  const path = withCommonNames(requestPath(route, inPath, requestJson(flags, given)))
  try {
    terminal.print(formatOutput(await openNode(options).get(path, { height: options.height }), format))
  } catch (error) {
    throw missingFlag(flags, given, error) ?? error
  }
}

/** Accepts delegator and validator in either order: the family's tool takes the delegator first, the path the validator. */
function withValidatorFirst({ variables }: Route, values: readonly string[]): readonly string[] {
  const isPair =
    variables.length === 2 && variables[0]?.name === 'validator_addr' && variables[1]?.name === 'delegator_addr'
  const isValidator = (value: string | undefined) => /valoper1/.test(value ?? '')
  return isPair && !isValidator(values[0]) && isValidator(values[1]) ? [...values].reverse() : values
}

/** Returns the fields that can be positional arguments after those of the path. */
function positionalFlags(flags: readonly FieldFlag[]): readonly FieldFlag[] {
  return flags.filter(({ field, path }) => {
    const isPlain = field.fieldKind === 'scalar' || field.fieldKind === 'enum'
    return path.length === 1 && isPlain && field.scalar !== ScalarType.BOOL
  })
}

/** Returns the values of flags with those of positional arguments. Throws `invalidArgument` for a field that is set twice. */
function withPositional(
  flags: readonly FieldFlag[],
  args: readonly string[],
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const values = { ...given }
  for (const [i, { flag }] of positionalFlags(flags).entries()) {
    const value = args[i]
    if (value === undefined) break
    const key = optionKey(flag)
    if (values[key] !== undefined)
      throw queryError('invalidArgument', `--${flag} is set twice: by the flag and as an argument`)
    values[key] = value
  }
  return values
}

/** Returns the error of a flag that is absent, if a node refuses its field. */
function missingFlag(
  flags: readonly FieldFlag[],
  given: Readonly<Record<string, unknown>>,
  error: unknown,
): ChainError | undefined {
  if (!(error instanceof ChainError)) return undefined
  const fields = error.details.flatMap((detail) => (isMessage(detail, FieldViolationSchema) ? [detail.field] : []))
  const missing = flags.find(
    ({ flag, path }) => fields.includes(path.join('.')) && given[optionKey(flag)] === undefined,
  )
  return missing && queryError('invalidArgument', `--${missing.flag} is required`)
}

/** Returns the fields that the path does not set. */
function freeFields({ rpc, variables }: Route): readonly DescField[] {
  const bound = new Set(variables.map(({ fields }) => fields[0]))
  return rpc.input.fields.filter((field) => !bound.has(field))
}

/** Returns the name of an operation in its path: `balances` for `/chain/evm/v1/balances/{address}`. */
function pathName({ template }: Route): string {
  const [, , , ...rest] = template.slice(1).split('/')
  return kebab(rest.filter((segment) => !segment.startsWith('{')).join('-'))
}

/** Returns the last fixed segment of a path: `tally` for `/sdk/gov/v1/proposals/{proposal_id}/tally`. */
function lastWord({ template }: Route): string {
  return kebab(
    template
      .split('/')
      .filter((segment) => !segment.startsWith('{'))
      .at(-1)!,
  )
}

/**
 * Returns the aliases of each operation: its name in the path, both names with underscores, and the last segment of the path.
 * No alias is the name or alias of another operation.
 */
function aliasesOf(routes: ReadonlyMap<string, Route>): Map<string, readonly string[]> {
  const taken = new Set(routes.keys())
  const aliases = new Map<string, readonly string[]>()
  for (const [name, route] of routes) {
    const path = pathName(route)
    const candidates = [name.replaceAll('-', '_'), path, path.replaceAll('-', '_'), lastWord(route)]
    const free = candidates.filter((alias) => alias !== '' && !taken.has(alias) && taken.add(alias))
    aliases.set(name, free)
  }
  return aliases
}

function addOperation(
  parent: Command,
  name: string,
  aliases: readonly string[],
  route: Route,
  terminal: Terminal,
): void {
  const command = parent.command(name).description(`Query ${route.template}`)
  for (const alias of aliases) command.alias(alias)
  describedBy(command, `${route.rpc.parent.typeName}.${route.rpc.name}`)
  for (const { name: variable, fields } of route.variables) {
    command.addArgument(describedBy(new Argument(`<${kebab(variable)}>`), fullName(fields.at(-1)!)))
  }
  addReadOptions(command)
  const flags = addFieldFlags(command, fieldFlags(freeFields(route)))
  for (const { flag } of positionalFlags(flags)) command.argument(`[${flag}]`)
  command.action(() => run(route, flags, command.args, command, terminal))
}

/** Modules with hand-written commands, which replace the operations of the same name. */
const OWN_COMMANDS = new Map([
  ['devgas', addDevgasQueries],
  ['distribution', addRewardsQuery],
  ['gov', addParamsQuery],
  ['tx', addTxLookup],
  ['upgrade', addUpgradeQueries],
])

/** Creates the command `almanac query` with a subcommand for each module, and below it one for each operation. */
export function queryCommand(terminal: Terminal): Command {
  const program = showDescriptions(new Command('almanac query'))
    .description('Run a query operation of a module')
    // Flags after the name of an operation are that operation's, although `query tx` itself has some of the same names.
    .enablePositionalOptions()
    .exitOverride()
  for (const [module, routes] of [...operations()].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const parent = program.command(module).description(`Query module ${module}`)
    const aliases = aliasesOf(routes)
    for (const alias of moduleAliases(module)) parent.alias(alias)
    OWN_COMMANDS.get(module)?.(parent, terminal)
    const taken = new Set(parent.commands.flatMap((command) => [command.name(), ...command.aliases()]))
    const free = (alias: string) => !taken.has(alias) && taken.add(alias)
    const added = [...routes].filter(([name]) => free(name))
    // Names of the family's tool precede those that follow from paths.
    const named = new Map(added.map(([name]) => [name, nameAliases(module, name).filter(free)]))
    for (const [name, route] of added) {
      const others = (aliases.get(name) ?? []).filter(free)
      addOperation(parent, name, [...others, ...(named.get(name) ?? [])], route, terminal)
    }
  }
  addBlockQueries(program, terminal)
  return program
}

/** Runs `almanac query` with the arguments after its name. Returns the exit code. */
export async function query(args: readonly string[]): Promise<number> {
  await listsCommands(queryCommand(processTerminal())).parseAsync([...args], { from: 'user' })
  return 0
}
