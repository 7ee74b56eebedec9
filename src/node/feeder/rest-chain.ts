/** The chain over REST, as an operator's feeder sees it. */
import type { Identity } from '../../identity/types.ts'
import { queryError } from '../../primitives/errors.ts'
import type { FeederChain } from './feeder.ts'

export interface RestAccess {
  /** The JSON of a GET; undefined where the node says that there is no such thing. Rejects for any other failure. */
  get(path: string): Promise<unknown>
  broadcast: FeederChain['broadcast']
}

type Json = Readonly<Record<string, unknown>>

const NUMBER = /^\d+$/

function numberAt(json: unknown, place: string, name: string): bigint {
  const value = (json as Json | undefined)?.[name]
  if (typeof value !== 'string' || !NUMBER.test(value)) throw queryError('unknown', `${place} says no ${name}`)
  return BigInt(value)
}

/** The innermost account: kinds of accounts wrap one another. */
function baseAccount(account: unknown): unknown {
  const { base_account: base, base_vesting_account: vesting } = (account ?? {}) as Json
  if (base) return baseAccount(base)
  return vesting ? baseAccount(vesting) : account
}

/** Asks under the names of the profile. */
export function createRestChain(identity: Identity, chainId: string, { get, broadcast }: RestAccess): FeederChain {
  const path = (neutral: string): string => identity.toProfilePath(neutral)
  return {
    chainId,
    broadcast,
    async height() {
      const place = path('/sdk/base/tendermint/v1beta1/blocks/latest')
      const { block } = ((await get(place)) ?? {}) as { readonly block?: { readonly header?: Json } }
      return numberAt(block?.header, place, 'height')
    },
    async targets() {
      const place = path('/chain/oracle/v1beta1/params')
      const { params } = ((await get(place)) ?? {}) as { readonly params?: Json }
      const pairs = params?.['whitelist']
      if (!Array.isArray(pairs)) throw queryError('unknown', `${place} says no whitelist`)
      return { votePeriod: numberAt(params, place, 'vote_period'), pairs: pairs as string[] }
    },
    async account(address) {
      const place = path(`/sdk/auth/v1beta1/accounts/${address}`)
      const found = (await get(place)) as { readonly account?: unknown } | undefined
      if (!found) throw queryError('notFound', `the feeder's account ${address} does not exist: send it something`)
      const account = baseAccount(found.account)
      return {
        number: numberAt(account, place, 'account_number'),
        sequence: numberAt(account, place, 'sequence'),
      }
    },
    async prevote(validator) {
      const found = await get(path(`/chain/oracle/v1beta1/validators/${validator}/aggregate_prevote`))
      return (found as { readonly aggregate_prevote?: { readonly hash?: string } } | undefined)?.aggregate_prevote?.hash
    },
  }
}
