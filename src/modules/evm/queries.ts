/** chain.evm.v1.Query */
import { Query } from '../../gen/chain/evm/v1/query_pb.ts'
import * as address from '../../identity/address.ts'
import { formatEip55 } from '../../primitives/address.ts'
import { EMPTY, formatHex0x } from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'
import type { ReadContext } from '../../sdk/context.ts'
import { defineQueries } from '../../sdk/module.ts'
import { parseField } from '../../sdk/request.ts'
import * as auth from '../auth/keeper.ts'
import * as bank from '../bank/keeper.ts'
import * as staking from '../staking/keeper.ts'
import { answerEstimateGas, answerEthCall } from './calls/query-calls.ts'
import { parentBaseFeeWei } from './development/settings.ts'
import { errors } from './errors.ts'
import * as funtokens from './funtoken/mappings.ts'
import { tokenBalance } from './funtoken/token-balance.ts'
import * as evm from './keeper.ts'
import { parseAccount, parseHexOnly, parseSlot } from './query-arguments.ts'

function findMapping(ctx: ReadContext, token: string) {
  const funToken = funtokens.mappingOf(ctx, token)
  if (!funToken) throw queryError('notFound', `token mapping not found for ${token}`)
  return { funToken }
}

export const queries = defineQueries(Query, {
  ethAccount(ctx, { address: text }) {
    const bytes = parseAccount(ctx, text)
    const account = auth.getAccount(ctx, bytes)
    return {
      balance: bank.balance(ctx, bytes, ctx.identity.baseDenom).toString(),
      balanceWei: bank.balanceWei(ctx, bytes).toString(),
      codeHash: formatHex0x(evm.codeHash(ctx, bytes)),
      nonce: bytes.length === 20 ? (account?.sequence ?? 0n) : 0n,
      ethAddress: bytes.length === 20 ? formatEip55(bytes) : '',
      bech32Address: address.format(ctx, bytes),
    }
  },
  validatorAccount(ctx, { consAddress }) {
    const consensus = parseField('cons_address', () => address.parseConsensus(ctx, consAddress))
    const operator = staking.operatorOf(ctx, consensus)
    if (!operator) throw queryError('notFound', `validator not found for ${consAddress}`)
    const account = auth.getAccount(ctx, operator)
    return {
      accountAddress: address.format(ctx, operator),
      sequence: account?.sequence ?? 0n,
      accountNumber: account?.number ?? 0n,
    }
  },
  balance(ctx, { address: text, token }) {
    const holder = parseAccount(ctx, text)
    const { bank: coin, erc20 } = tokenBalance(ctx, holder, token)
    return {
      balanceWei: bank.balanceWei(ctx, holder).toString(),
      ...(coin ? { bank: coin } : {}),
      ...(erc20 ? { erc20 } : {}),
    }
  },
  storage(ctx, { address: text, key }) {
    return { value: formatHex0x(evm.storage(ctx, parseHexOnly(text), parseSlot(key))) }
  },
  code(ctx, { address: text }) {
    return { code: evm.code(ctx, parseHexOnly(text)) ?? EMPTY }
  },
  params(ctx) {
    return { params: evm.params(ctx) }
  },
  ethCall: (ctx, request) => answerEthCall(ctx, request),
  estimateGas: (ctx, request) => answerEstimateGas(ctx, request),
  traceTx() {
    throw errors.unimplemented('traces run in the compute pool of a node')
  },
  traceBlock() {
    throw errors.unimplemented('traces run in the compute pool of a node')
  },
  traceCall() {
    throw errors.unimplemented('traces run in the compute pool of a node')
  },
  baseFee(ctx) {
    const wei = parentBaseFeeWei(ctx)
    return { baseFee: wei.toString(), baseFeeUnative: (wei / bank.WEI_PER_UNIT).toString() }
  },
  funToken: (ctx, { token }) => findMapping(ctx, token),
  funTokenMapping: (ctx, { token }) => findMapping(ctx, token),
})
