/** Accounts that the genesis of modules which are not built makes: their numbers decide those of the accounts after them. */
import type { Identity } from '../src/identity/types.ts'
import { decodeAccount } from '../src/modules/auth/account-codec.ts'
import * as auth from '../src/modules/auth/keeper.ts'
import { addressOfNumber, nextNumber } from '../src/modules/auth/state.ts'
import { concat, equal } from '../src/primitives/bytes.ts'
import type { Context } from '../src/sdk/context.ts'
import { defineModule, type Module } from '../src/sdk/module.ts'
import type { Change } from '../src/store/types.ts'
import type { Touched } from './touched.ts'
import { isUnbuilt, ownerOfAccount } from './unbuilt.ts'

export const accountKey = (address: Uint8Array): Uint8Array => concat(Uint8Array.of(0x01), address)

/** What the first block's writes are, and where it is noted which of them are taken as they are. */
interface FirstBlock {
  readonly recorded: readonly Change[]
  readonly touched: Touched
}

/** The modules of a genesis, each finding those accounts made that the recorded genesis had made before it. */
export function genesisModules(identity: Identity, modules: readonly Module[], played: () => FirstBlock): Module[] {
  /** Accounts of modules that are not built, as the recorded genesis made them, by number. */
  function recordedAccounts(): { readonly account: auth.Account; readonly owner: string }[] {
    return played()
      .recorded.flatMap(({ store, key, value }) => {
        if (store !== 'acc' || key.length !== 21 || key[0] !== 1 || !value) return []
        const account = decodeAccount(identity, key.slice(1), value)
        const owner = account.module && ownerOfAccount(account.module.name)
        return owner !== undefined && isUnbuilt(owner) && account.module!.name !== auth.feeCollector.name
          ? [{ account, owner }]
          : []
      })
      .sort((a, b) => (a.account.number < b.account.number ? -1 : 1))
  }

  /** Makes the accounts whose turn it is: their numbers come before the one given. */
  function makeAccounts(ctx: Context, before: bigint | undefined): void {
    for (const { account, owner } of recordedAccounts()) {
      if (auth.hasAccount(ctx, account.address) || (before !== undefined && account.number >= before)) continue
      const next = nextNumber.get(ctx) ?? 0n
      // One without a number of its own waits until all others have theirs.
      if (account.number < next && before !== undefined) continue
      const number = account.number < next ? account.number : auth.newAccount(ctx, account.address).number
      auth.setAccount(ctx, { ...account, number })
      played().touched.account(owner, accountKey(account.address), addressOfNumber.keyBytes(ctx, account.number))
    }
  }

  /** A module whose genesis finds those made that the recorded genesis had made before it. */
  function inTurn(module: Module): Module {
    const { genesis } = module
    if (!genesis) return module
    const init: typeof genesis.init = (ctx, json) => {
      const keys = module.accounts.map(({ address: bytes }) => accountKey(bytes))
      const numbers = played().recorded.flatMap(({ store, key, value }) =>
        store === 'acc' && value && keys.some((one) => equal(one, key))
          ? [decodeAccount(identity, key.slice(1), value).number]
          : [],
      )
      const [first] = numbers.sort((a, b) => (a < b ? -1 : 1))
      if (first !== undefined) makeAccounts(ctx, first)
      genesis.init(ctx, json)
    }
    return { ...module, genesis: { ...genesis, init } }
  }

  const rest = defineModule({
    name: 'recorded-rest',
    stores: [],
    genesis: { defaults: () => null, init: (ctx) => makeAccounts(ctx, undefined), export: () => null },
  })

  return [...modules.map(inTurn), rest]
}
