/** Whether the profile of a new replica is that of the chain: a profile is a property of the state, fixed at the begin. */
import type { Profile } from '../../identity/profiles/profile.ts'
import { PROFILES } from '../../identity/profiles.ts'
import { configError } from '../config.ts'

interface Account {
  readonly address?: unknown
  readonly base_account?: { readonly address?: unknown }
}

interface Document {
  readonly chain_id?: unknown
  readonly app_state?: {
    readonly bank?: { readonly balances?: readonly Account[] }
    readonly auth?: { readonly accounts?: readonly Account[] }
  }
}

/** Text of an address with its prefix. */
const BECH32 = /^([a-z0-9]+)1[02-9ac-hj-np-z]{38,}$/

/** Returns the prefix of the accounts in a genesis document; undefined without accounts. */
function prefixIn({ app_state: state }: Document): string | undefined {
  for (const { address, base_account: base } of [...(state?.bank?.balances ?? []), ...(state?.auth?.accounts ?? [])]) {
    const found = BECH32.exec(String(address ?? base?.address ?? ''))
    if (found) return found[1]
  }
  return undefined
}

/**
 * Throws `invalidArgument` for a profile whose accounts have another prefix than those of a genesis document. Accepts a text that
 * cannot be parsed: the error of the next reader names the place.
 */
export function requireProfileOf(text: string, { name, bech32 }: Pick<Profile, 'name' | 'bech32'>): void {
  let document: Document
  try {
    document = JSON.parse(text) as Document
  } catch {
    return
  }
  const prefix = prefixIn(document)
  if (prefix === undefined || prefix === bech32.account) return
  const fitting = PROFILES.filter((one) => one.bech32.account === prefix).map((one) => one.name)
  const remedy =
    fitting.length === 0 ? 'set it to a file with the profile of the chain' : `set it to ${fitting.join(' or ')}`
  throw configError(
    `chain.profile (--profile) is ${name}, whose accounts begin with ${bech32.account}1, and those of chain ${String(document.chain_id)} begin with ${prefix}1: ${remedy}`,
  )
}
