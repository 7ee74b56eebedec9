/** Commands that give accounts their roles in the genesis document in preparation: the sudo root, and feeders of prices. */
import type { Command } from 'commander'
import { decodeBech32, formatBech32 } from '../../primitives/address.ts'
import { queryError } from '../../primitives/errors.ts'
import {
  addHomeOptions,
  addKeyringOptions,
  findAnyKey,
  type KeyringFlags,
  openKeyring,
  tryParseAddress,
} from '../keys/open.ts'
import { identityOfFlags } from '../profile.ts'
import { homeOf } from '../settings.ts'
import type { Terminal } from '../terminal.ts'
import { listOf, readPrepared, sectionOf, writePrepared } from './document.ts'

interface FeederFlags extends KeyringFlags {
  readonly validator: string
  readonly pricefeeder: string
}

/** Adds the commands. */
export function addRoleCommands(parent: Command, terminal: Terminal): void {
  addKeyringOptions(
    parent
      .command('add-sudo-root <address-or-key>')
      .alias('add-sudo-root-account')
      .description('Set the account that is the root of the sudo module'),
  ).action((who: string, _, command: Command) => setSudoRoot(who, command.opts(), terminal))

  addHomeOptions(
    parent
      .command('add-feeder')
      .alias('add-genesis-pricefeeder-delegation')
      .description('Let an account vote on prices for a validator from genesis on'),
  )
    .requiredOption('--validator <address>', 'operator address of the validator')
    .requiredOption('--pricefeeder <address>', 'address of the account that votes for it')
    .action((_, command: Command) => addFeeder(command.opts(), terminal))
}

function setSudoRoot(who: string, flags: KeyringFlags, terminal: Terminal): void {
  const { bech32 } = identityOfFlags(flags)
  const home = homeOf(flags.home)
  const document = readPrepared(home)
  const bytes = tryParseAddress(who) ?? findAnyKey(openKeyring(flags, terminal), who).address
  requireLength('the root of sudo', who, bytes)
  const root = formatBech32(bech32.account, bytes)
  const sudo = sectionOf(document, 'sudo')
  const { root: _, ...sudoers } = (sudo['sudoers'] ?? {}) as { readonly root?: string }
  sudo['sudoers'] = { ...sudoers, root }
  writePrepared(home, document)
  terminal.note(`${root} is the root of sudo at genesis.`)
}

function addFeeder(flags: FeederFlags, terminal: Terminal): void {
  const { bech32 } = identityOfFlags(flags)
  const home = homeOf(flags.home)
  const document = readPrepared(home)
  const validator = requireAddress('--validator', flags.validator, bech32.validator)
  const feeder = requireAddress('--pricefeeder', flags.pricefeeder, bech32.account)
  const feeders = listOf<Feeder>(sectionOf(document, 'oracle'), 'feeder_delegations')
  const known = feeders.find((one) => one.validator_address === validator)
  if (known)
    throw queryError('alreadyExists', `${validator} has the feeder ${known.feeder_address} in the genesis document`)
  feeders.push({ feeder_address: feeder, validator_address: validator })
  writePrepared(home, document)
  terminal.note(`${feeder} votes on prices for ${validator} from genesis on.`)
}

interface Feeder {
  readonly feeder_address: string
  readonly validator_address: string
}

/** Lengths of addresses: of an account, and of one that a module derives. */
const LENGTHS = [20, 32]

/** Returns the text of an address. Throws `invalidArgument` unless it has the length of one. */
function requireLength(what: string, text: string, { length }: Uint8Array): string {
  if (LENGTHS.includes(length)) return text
  throw queryError(
    'invalidArgument',
    `${what} ${text}: has ${length} bytes, and an address has ${LENGTHS.join(' or ')}`,
  )
}

function requireAddress(flag: string, text: string, prefix: string): string {
  const decoded = decodeBech32(text)
  if ('bytes' in decoded && decoded.prefix === prefix) return requireLength(flag, text, decoded.bytes)
  const reason = 'reason' in decoded ? decoded.reason : `its prefix is ${decoded.prefix}`
  throw queryError('invalidArgument', `${flag} ${text}: must be an address with prefix ${prefix} (${reason})`)
}
