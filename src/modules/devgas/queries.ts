/** chain.devgas.v1.Query */
import { Query } from '../../gen/chain/devgas/v1/query_pb.ts'
import { formatBech32 } from '../../primitives/address.ts'
import { queryError } from '../../primitives/errors.ts'
import type { ReadContext } from '../../sdk/context.ts'
import { defineQueries } from '../../sdk/module.ts'
import { parseField } from '../../sdk/request.ts'
import type { StateKeySet } from '../../store/collections/collections.ts'
import type { PageRequest } from '../../store/collections/page.ts'
import * as devgas from './keeper.ts'
import * as state from './state.ts'

type Index = StateKeySet<readonly [Uint8Array, Uint8Array], Uint8Array>

/** Returns the records that an index has under an address, by contract text: all, or the requested page. */
function listShares(ctx: ReadContext, index: Index, prefix: Uint8Array, pagination: PageRequest | undefined) {
  const recordOf = ([, contract]: readonly [Uint8Array, Uint8Array]): devgas.FeeShare => devgas.feeShare(ctx, contract)!
  if (!pagination) return { feeshare: [...index.iterate(ctx, { prefix })].map(recordOf) }
  const { entries, nextKey, total } = index.page(ctx, pagination, { prefix })
  return { feeshare: entries.map(recordOf), pagination: { nextKey, total } }
}

export const queries = defineQueries(Query, {
  feeShares(ctx, { deployer, pagination }) {
    const prefix = parseField(
      'deployer',
      () => devgas.parseQueried(ctx, deployer),
      `invalid deployer address '${deployer}': `,
    )
    return listShares(ctx, state.byDeployer, prefix, pagination)
  },
  feeShare(ctx, { contractAddress: text }) {
    const wrong = `invalid format for contract ${text}, should be bech32 ('${ctx.identity.bech32.account}…'): `
    const contract = parseField('contract_address', () => devgas.parseQueried(ctx, text), wrong)
    const feeshare = devgas.feeShare(ctx, contract)
    if (feeshare) return { feeshare }
    const asked = formatBech32(ctx.identity.bech32.account, contract)
    throw queryError('notFound', `fee share not found for contract '${asked}'`)
  },
  params: (ctx) => ({ params: devgas.params(ctx) }),
  feeSharesByWithdrawer(ctx, { withdrawerAddress: text, pagination }) {
    const wrong = `invalid withdrawer address '${text}': `
    const prefix = parseField('withdrawer_address', () => devgas.parseQueried(ctx, text), wrong)
    return listShares(ctx, state.byWithdrawer, prefix, pagination)
  },
})
