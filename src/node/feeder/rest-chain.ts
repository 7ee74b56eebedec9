/** The chain interface of a feeder, over REST. */
import type { Identity } from '../../identity/types.ts'
import { queryError } from '../../primitives/errors.ts'
import type { FeederChain } from './feeder.ts'

export interface RestAccess {
  /** Returns the JSON of a GET; undefined for status 404. Rejects for any other failure. */
  get(path: string): Promise<unknown>
  broadcast: FeederChain['broadcast']
}

type Json = Readonly<Record<string, unknown>>

const NUMBER = /^\d+$/

function numberAt(json: unknown, url: string, name: string): bigint {
  const value = (json as Json | undefined)?.[name]
  if (typeof value !== 'string' || !NUMBER.test(value)) throw queryError('unknown', `${url} has no ${name}`)
  return BigInt(value)
}

/** Returns the innermost account: vesting accounts wrap base accounts. */
function baseAccount(account: unknown): unknown {
  const { base_account: base, base_vesting_account: vesting } = (account ?? {}) as Json
  if (base) return baseAccount(base)
  return vesting ? baseAccount(vesting) : account
}

/** Creates the interface. Paths have the names of the profile. */
export function createRestChain(identity: Identity, chainId: string, { get, broadcast }: RestAccess): FeederChain {
  const path = (neutral: string): string => identity.toProfilePath(neutral)
  return {
    chainId,
    broadcast,
    async height() {
      const url = path('/sdk/base/tendermint/v1beta1/blocks/latest')
      const { block } = ((await get(url)) ?? {}) as { readonly block?: { readonly header?: Json } }
      return numberAt(block?.header, url, 'height')
    },
    async targets() {
      const url = path('/chain/oracle/v1beta1/params')
      const { params } = ((await get(url)) ?? {}) as { readonly params?: Json }
      const pairs = params?.['whitelist']
      if (!Array.isArray(pairs)) throw queryError('unknown', `${url} has no whitelist`)
      return { votePeriod: numberAt(params, url, 'vote_period'), pairs: pairs as string[] }
    },
    async account(address) {
      const url = path(`/sdk/auth/v1beta1/accounts/${address}`)
      const found = (await get(url)) as { readonly account?: unknown } | undefined
      if (!found) throw queryError('notFound', `the feeder's account ${address} does not exist: send it some coins`)
      const account = baseAccount(found.account)
      return {
        number: numberAt(account, url, 'account_number'),
        sequence: numberAt(account, url, 'sequence'),
      }
    },
    async prevote(validator) {
      const found = await get(path(`/chain/oracle/v1beta1/validators/${validator}/aggregate_prevote`))
      return (found as { readonly aggregate_prevote?: { readonly hash?: string } } | undefined)?.aggregate_prevote?.hash
    },
  }
}
