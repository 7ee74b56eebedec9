/** The one message that every governed module has: new parameters in place of the old ones. */
import { requireGovernance } from './authority.ts'
import type { Context } from './context.ts'
import { errors } from './errors.ts'

interface ParamsUpdate<Params> {
  readonly authority: string
  readonly params?: Params | undefined
}

/**
 * The handler of a `MsgUpdateParams` that governance alone may send. It throws gov 13 for anybody else, sdk 7 for an authority
 * that is no address, sdk 18 without parameters, and what `validate` throws.
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
