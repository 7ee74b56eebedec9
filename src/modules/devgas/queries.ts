/** chain.devgas.v1.Query */
import { Query } from '../../gen/chain/devgas/v1/query_pb.ts'
import { formatBech32 } from '../../primitives/address.ts'
import { ChainError, queryError } from '../../primitives/errors.ts'
import type { ReadContext } from '../../sdk/context.ts'
import { defineQueries } from '../../sdk/module.ts'
import { parseField, wrongField } from '../../sdk/request.ts'
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

/** Parses the address of a contract. Throws `invalidArgument` in the words of the reference. */
function parseContract(ctx: ReadContext, text: string): Uint8Array {
  try {
    return devgas.parseQueried(ctx, text)
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    const form = `should be bech32 ('${ctx.identity.bech32.account}...')`
    throw wrongField('contract_address', `invalid format for contract ${text}, ${form}`)
  }
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
    const contract = parseContract(ctx, text)
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
