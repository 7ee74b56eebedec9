/** Validators, as the staking module lists them. */
import { ask } from '../api/ask.ts'
import { rest } from '../api/question.ts'

export interface Validator {
  readonly operator_address: string
  readonly consensus_pubkey: { readonly key: string }
  readonly jailed: boolean
  readonly status: string
  readonly tokens: string
  readonly description: {
    readonly moniker: string
    readonly website: string
    readonly details: string
    readonly identity: string
    readonly security_contact: string
  }
  readonly commission: {
    readonly commission_rates: { readonly rate: string; readonly max_rate: string; readonly max_change_rate: string }
  }
  readonly min_self_delegation: string
  readonly unbonding_height: string
}

export const VALIDATORS = rest('/sdk/staking/v1beta1/validators?pagination.limit=1000')

/** Returns validators by stake, the largest first; those of one status if it is given. */
export async function validatorsOf(
  height: bigint | undefined,
  signal: AbortSignal,
  status?: string,
): Promise<readonly Validator[]> {
  const { validators } = await ask<{ readonly validators: readonly Validator[] }>(VALIDATORS, { height, signal })
  return validators.filter((one) => status === undefined || one.status === status).sort(byStake)
}

const byStake = (a: Validator, b: Validator): number => {
  const [more, less] = [BigInt(b.tokens), BigInt(a.tokens)]
  return more > less ? 1 : more < less ? -1 : a.operator_address < b.operator_address ? -1 : 1
}
