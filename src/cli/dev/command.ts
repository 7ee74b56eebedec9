/** The command line of `almanac dev`: the flags of anvil, and those of settings that anvil has not. */
import { Command, Option } from 'commander'
import { configError } from '../../node/config.ts'
import { ALL_SETTINGS } from '../../node/settings.ts'
import { refuseForeignFlags } from '../foreign-flags.ts'
import { optionOf } from '../settings.ts'
import { CANONICAL, DEV_FLAGS, type DevFlag } from './flags.ts'

const ONE_PORT = 'here it is --port, which serves HTTP and WebSocket'
const IN_A_NETWORK = 'a development chain is no network'
const NOT_BEGUN_ELSEWHERE = 'a development chain begins by itself'

/** Sections and flags of settings that a development chain does not have, with the reason. */
const LEFT_OUT_SECTIONS: ReadonlyMap<string, string> = new Map([
  ['consensus', IN_A_NETWORK],
  ['snapshots', 'the chain is temporary, and --dump-state writes its state'],
  ['statesync', NOT_BEGUN_ELSEWHERE],
  ['upgrade', 'a development chain has no plans to skip'],
])
const LEFT_OUT_FLAGS: ReadonlyMap<string, string> = new Map([
  ['genesis', `${NOT_BEGUN_ELSEWHERE}: --init takes a genesis of geth, and almanac start a document of this chain`],
  ['dev', 'it always has the development methods'],
  ['jsonrpc-port', ONE_PORT],
  ['jsonrpc-ws-port', ONE_PORT],
  ['jsonrpc-ws-enabled', ONE_PORT],
  ['evm-chain-id', 'here it is --chain-id'],
])

/** Flags of `almanac start` that are no settings, with the reason why a development chain has them not. */
const START_FLAGS: ReadonlyMap<string, string> = new Map([
  ['ephemeral', 'the chain is temporary without it; --home keeps it'],
  ['mnemonic-file', 'here it is --mnemonic: every client can use the keys of a development chain'],
  ['show-keys', 'the banner has all keys without it'],
])

const NAMES = new Set(DEV_FLAGS.flatMap(({ flag, aliases = [] }) => [flag, ...aliases]))

/** The settings whose own flags the command takes too. */
const FURTHER_SETTINGS = ALL_SETTINGS.map(({ setting }) => setting).filter(
  ({ section, flag }) => !LEFT_OUT_SECTIONS.has(section) && !LEFT_OUT_FLAGS.has(flag) && !NAMES.has(flag),
)

/** Throws `invalidArgument` for a flag of `almanac start` that the command has not, with the reason. */
function refuseLeftOut(args: readonly string[]): void {
  for (const argument of args) {
    const [, flag] = /^--(?:no-)?([^=]+)/.exec(argument) ?? []
    if (flag === undefined || NAMES.has(flag)) continue
    const found = ALL_SETTINGS.find(({ setting }) => setting.flag === flag)
    const reason =
      START_FLAGS.get(flag) ?? (found && (LEFT_OUT_FLAGS.get(flag) ?? LEFT_OUT_SECTIONS.get(found.setting.section)))
    if (reason !== undefined) throw configError(`--${flag} is a flag of almanac start: ${reason}`)
  }
}

/** The given flags of a command line, by name without dashes. A flag without value is an empty text. */
export interface GivenFlags {
  /** Flags of the table. */
  readonly dev: ReadonlyMap<string, string>
  /** Flags of further settings. */
  readonly settings: Readonly<Record<string, string>>
  readonly home: string | undefined
}

/** Flags whose names start with `no-`, which commander would read as the negation of another. */
const keyOf = (flag: string): string => flag.replace(/^no-/, 'without-')

function optionsOf({ flag, short, value, about, refused, aliases = [] }: DevFlag): Option {
  const names = `${short === undefined ? '' : `-${short}, `}--${keyOf(flag)}${value === undefined ? '' : ` ${value}`}`
  const also = aliases.length > 0 ? ` (also ${aliases.map((alias) => `--${alias}`).join(', ')})` : ''
  const option = new Option(names, `${about}${also}`)
  return refused === undefined ? option : option.hideHelp()
}

/** Creates the command. */
export function devCommand(): Command {
  const command = new Command('almanac dev')
    .description(
      'Run a development chain with the flags of anvil: temporary, without simulated prices, a block on arrival of a transaction.',
    )
    .exitOverride()
    .addHelpText(
      'after',
      ['', 'docs/dev.md lists every flag of anvil. The flags of settings of `almanac start` are accepted too.'].join(
        '\n',
      ),
    )
  command.configureOutput({ outputError: (text, write) => write(text.replaceAll('--without-', '--no-')) })
  command.configureHelp({ optionTerm: ({ flags }) => flags.replace('--without-', '--no-') })
  for (const flag of DEV_FLAGS) command.addOption(optionsOf(flag))
  command.option('--home <dir>', 'Folder in which the chain stays; without it the chain is temporary.')
  for (const setting of FURTHER_SETTINGS) {
    const option = optionOf(setting)
    command.addOption(/-port$/.test(setting.flag) ? option : option.hideHelp())
    if (setting.fallback === true) command.addOption(new Option(`--no-${setting.flag}`).hideHelp())
  }
  return command
}

/** Writes each flag of anvil by the name under which the command has it. */
function canonical(argument: string): string {
  const [, name, rest] = /^--([^=]+)(.*)$/s.exec(argument) ?? []
  if (name === undefined || !NAMES.has(name)) return argument
  return `--${keyOf(CANONICAL.get(name) ?? name)}${rest}`
}

/**
 * Parses the arguments of `almanac dev`. Throws `invalidArgument` for a flag that is refused, with the reason, or that another
 * program or command has, and the errors of commander for an unknown one.
 */
export function parseDevFlags(args: readonly string[]): GivenFlags {
  refuseForeignFlags(args, 'dev')
  refuseLeftOut(args)
  const command = devCommand()
  command.parse(args.map(canonical), { from: 'user' })
  const values = command.opts<Record<string, unknown>>()
  const textOf = (option: Option): string | undefined => {
    const value = values[option.attributeName()]
    return value === undefined ? undefined : value === true ? '' : String(value)
  }
  const dev = new Map<string, string>()
  for (const { flag, refused } of DEV_FLAGS) {
    const value = textOf(command.options.find((option) => option.long === `--${keyOf(flag)}`)!)
    if (value === undefined) continue
    if (refused !== undefined) throw configError(`--${flag} is not supported: ${refused}`)
    dev.set(flag, value)
  }
  const settings: Record<string, string> = {}
  for (const { flag } of FURTHER_SETTINGS) {
    const option = command.options.find((one) => one.long === `--${flag}`)!
    const value = values[option.attributeName()]
    if (value !== undefined) settings[flag] = String(value)
  }
  const { home } = values
  return { dev, settings, home: home === undefined ? undefined : String(home) }
}
