/** The message common to all governed modules, which replaces the parameters. */
import { requireGovernance } from './authority.ts'
import type { Context } from './context.ts'
import { errors } from './errors.ts'

interface ParamsUpdate<Params> {
  readonly authority: string
  readonly params?: Params | undefined
}

/**
 * Returns the handler of a `MsgUpdateParams` that only governance can send. The handler throws gov 13 for any other authority,
 * sdk 7 for an authority that is not an address, sdk 18 without parameters, and the errors of `validate`.
 */
export function replaceParams<Params>(
  stored: { readonly set: (ctx: Context, params: Params) => void },
  validate: (params: Params) => void,
) {
  return (ctx: Context, { authority, params }: ParamsUpdate<Params>): Record<string, never> => {
    requireGovernance(ctx, authority)
    if (!params) throw errors.invalidRequest('params must be given')
    validate(params)
    stored.set(ctx, params)
    return {}
  }
}
