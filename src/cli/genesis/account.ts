/** `almanac genesis add-account`: funds an account in the genesis document in preparation. */
import type { JsonValue } from '@bufbuild/protobuf'
import type { Command } from 'commander'
import type { Identity } from '../../identity/types.ts'
import { formatBech32 } from '../../primitives/address.ts'
import { formatHex0x } from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'
import { EMPTY_CODE_HASH } from '../../primitives/hash.ts'
import { addKeyringOptions, findAnyKey, type KeyringFlags, openKeyring, tryParseAddress } from '../keys/open.ts'
import { identityOfFlags } from '../profile.ts'
import { homeOf } from '../settings.ts'
import type { Terminal } from '../terminal.ts'
import { parseUint } from '../tx/account.ts'
import { coinsOf } from '../tx/family.ts'
import { listOf, readPrepared, sectionOf, writePrepared } from './document.ts'

interface AccountFlags extends KeyringFlags {
  readonly vestingAmount?: string
  readonly vestingStartTime?: string
  readonly vestingEndTime?: string
  readonly append?: boolean
}

type Coins = readonly { readonly denom: string; readonly amount: string }[]

/** Adds the command. */
export function addAccountCommand(parent: Command, terminal: Terminal): void {
  const command = addKeyringOptions(
    parent
      .command('add-account <address-or-key> <coins>')
      .alias('add-genesis-account')
      .description('Fund an account in the genesis document: coins such as 1000000unative,5ufoo'),
  )
    .option('--vesting-amount <coins>', 'coins that the account cannot spend at first')
    .option('--vesting-start-time <seconds>', 'Unix time at which coins begin to be released (default: all at the end)')
    .option('--vesting-end-time <seconds>', 'Unix time at which all coins are released')
    .option('--append', 'add the coins to an account that is there')
  command.action((who: string, coins: string) => addAccount(who, coins, command.opts<AccountFlags>(), terminal))
}

function addAccount(who: string, text: string, flags: AccountFlags, terminal: Terminal): void {
  const identity = identityOfFlags(flags)
  const home = homeOf(flags.home)
  const bytes = tryParseAddress(who) ?? findAnyKey(openKeyring(flags, terminal), who).address
  const address = formatBech32(identity.bech32.account, bytes)
  const coins = coinsOf('coins', text)
  const document = readPrepared(home)
  const accounts = listOf(sectionOf(document, 'auth'), 'accounts')
  const bank = sectionOf(document, 'bank')
  const balances = listOf<{ address: string; coins: Coins }>(bank, 'balances')
  const known = balances.find((balance) => balance.address === address)
  if (known && !flags.append)
    throw queryError('alreadyExists', `${address} is in the genesis document: --append adds coins to it`)
  if (known) known.coins = sum([known.coins, coins])
  else {
    balances.push({ address, coins })
    accounts.push(accountOf(identity, address, flags))
  }
  const supply: Coins = listOf<Coins[number]>(bank, 'supply')
  // An empty supply is computed from the balances.
  if (supply.length > 0) bank['supply'] = sum([supply, coins]) as unknown as JsonValue
  writePrepared(home, document)
  terminal.note(`${address} has ${text} at genesis.`)
}

/** Returns the sum of lists of coins, by denom. */
function sum(lists: readonly Coins[]): Coins {
  const total = new Map<string, bigint>()
  for (const { denom, amount } of lists.flat()) total.set(denom, (total.get(denom) ?? 0n) + BigInt(amount))
  return [...total]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([denom, amount]) => ({ denom, amount: amount.toString() }))
}

function accountOf({ toProfileName, behaviours }: Identity, address: string, flags: AccountFlags): JsonValue {
  const typed = (name: string, fields: { [key: string]: JsonValue }) => ({
    '@type': `/${toProfileName(name)}`,
    ...fields,
  })
  const base = { address, pub_key: null, account_number: '0', sequence: '0' }
  const { vestingAmount, vestingStartTime: start, vestingEndTime: end } = flags
  if (vestingAmount === undefined) {
    return behaviours.exposeEthAccount
      ? typed('sdk.auth.v1beta1.BaseAccount', base)
      : typed('chain.types.v1.EthAccount', { base_account: base, code_hash: formatHex0x(EMPTY_CODE_HASH) })
  }
  if (end === undefined) throw queryError('invalidArgument', '--vesting-amount needs --vesting-end-time')
  const vesting = {
    base_account: base,
    original_vesting: coinsOf('--vesting-amount', vestingAmount),
    delegated_free: [],
    delegated_vesting: [],
    end_time: parseUint('--vesting-end-time', end).toString(),
  }
  if (start === undefined) return typed('sdk.vesting.v1beta1.DelayedVestingAccount', { base_vesting_account: vesting })
  return typed('sdk.vesting.v1beta1.ContinuousVestingAccount', {
    base_vesting_account: vesting,
    start_time: parseUint('--vesting-start-time', start).toString(),
  })
}
