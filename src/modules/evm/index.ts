/** The module `evm`: accounts' code and storage, parameters, FunTokens, messages and queries (docs/modules/evm.md). */
import { EventBlockBloomSchema, EventWeiBlockDeltaSchema } from '../../gen/chain/evm/v1/events_pb.ts'
import { formatHex } from '../../primitives/bytes.ts'
import type { Context } from '../../sdk/context.ts'
import { defineModule } from '../../sdk/module.ts'
import * as bank from '../bank/keeper.ts'
import { recordBeaconRoot } from './beacon-roots.ts'
import { recordBlockHash } from './block-hashes.ts'
import { blockBloom } from './block-totals.ts'
import { genesis } from './genesis.ts'
import { messages } from './messages.ts'
import { queries } from './queries.ts'
import { evmAccount, netWeiDelta } from './state.ts'
import { validations } from './validation.ts'

/** Records what contracts of Ethereum's system calls know about blocks. */
function openBlock(ctx: Context): void {
  recordBlockHash(ctx)
  recordBeaconRoot(ctx)
}

/** Emits the block's bloom, and the wei that its transactions created or lost; a correct block is balanced. */
function closeBlock(ctx: Context): void {
  ctx.emit(EventBlockBloomSchema, { bloom: formatHex(blockBloom(ctx)) })
  const delta = bank.weiDelta(ctx)
  if (delta === 0n) return
  const net = (netWeiDelta.get(ctx) ?? 0n) + delta
  netWeiDelta.set(ctx, net)
  ctx.emit(EventWeiBlockDeltaSchema, {
    netWeiBlockDelta: net.toString(),
    weiBlockDelta: delta.toString(),
    blockNumber: ctx.block.height,
  })
}

export const evm = defineModule({
  name: 'evm',
  stores: ['evm', 'x'],
  messages, // chain.evm.v1.Msg
  queries, // chain.evm.v1.Query
  validations,
  accounts: [evmAccount],
  genesis,
  beginBlock: openBlock,
  endBlock: closeBlock,
})
