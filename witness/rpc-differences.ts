/** Differences in answers over JSON-RPC. Part of the list in `differences.ts`. */
import type { AnswerDifference } from './difference.ts'
import { errorOf, isAdded, referenceError, sameLogsOfTransactions } from './explain.ts'

export const JSON_RPC: readonly AnswerDifference[] = [
  {
    id: 'geth-null',
    where: 'eth_getBlockBy…, eth_getTransactionBy… of what does not exist',
    why: 'is `null`, as in geth, not an error',
    decision: 'D24',
    operation: /^eth_get(Block|Transaction)By/,
    explains: ({ at }, exchange) =>
      /^body\.(error|result)$/.test(at) &&
      /not found/.test(referenceError(exchange).message ?? '') &&
      (exchange.oursBody as { result?: unknown }).result === null,
  },
  {
    id: 'geth-fields',
    where: 'logs, transactions, eth_feeHistory',
    why: 'have the fields of newer geth: blockTimestamp, yParity, baseFeePerBlobGas, blobGasUsedRatio',
    decision: 'D24',
    operation: /^eth_/,
    explains: (part) => isAdded(part, /^(blockTimestamp|yParity|baseFeePerBlobGas|blobGasUsedRatio)$/),
  },
  {
    id: 'receipt-addresses',
    where: 'receipts',
    why: '`to` of a creation and `contractAddress` of anything else are null, as in geth',
    decision: 'D24',
    operation: /^eth_getTransactionReceipt$/,
    explains: ({ at, reference, ours }) =>
      ours === null &&
      ((at.endsWith('.to') && reference === undefined) ||
        (at.endsWith('.contractAddress') && reference === `0x${'00'.repeat(20)}`)),
  },
  {
    id: 'gas-of-evm-transactions',
    where: '`gasUsed` of blocks, `cumulativeGasUsed` of receipts, `gasUsedRatio`',
    why: 'add up the EVM transactions, which JSON-RPC shows; the reference adds the others of the block, which it does not',
    decision: 'D24',
    operation: /^eth_get(BlockBy|TransactionReceipt)/,
    explains: ({ at, reference, ours }) =>
      /^body\.result\.(gasUsed|cumulativeGasUsed)$/.test(at) && BigInt(reference as string) > BigInt(ours as string),
  },
  {
    id: 'logs-of-failed',
    where: 'eth_getTransactionLogs of a failed transaction',
    why: 'is an empty list, as in its receipt, not an error',
    decision: 'D24',
    operation: /^eth_getTransactionLogs$/,
    explains: (_, { referenceBody, oursBody }) =>
      /eth tx did not succeed/.test(errorOf(referenceBody)?.message ?? '') &&
      (oursBody as { result?: readonly unknown[] }).result?.length === 0,
  },
  {
    id: 'logs-with-transaction',
    where: 'eth_getLogs',
    why: 'gives logs of EVM transactions; the reference adds those of other messages, under a transaction hash of zeros',
    decision: 'D24',
    operation: /^eth_getLogs$/,
    explains: (_, exchange) => sameLogsOfTransactions(exchange),
  },
  {
    id: 'log-range',
    where: 'eth_getLogs with a range that ends before it begins',
    why: 'is an error, as in geth, not an empty list',
    decision: 'D24',
    operation: /^eth_getLogs$/,
    explains: (_, { oursBody }) => errorOf(oursBody)?.message === 'invalid block range params',
  },
  {
    id: 'safe-tag',
    where: 'block tag `safe`',
    why: 'is understood by every method',
    decision: 'D24',
    operation: /^eth_/,
    explains: (_, { question, referenceBody }) =>
      question.text.includes('"safe"') && /0x prefix/.test(errorOf(referenceBody)?.message ?? ''),
  },
  {
    id: 'nonce-at-height',
    where: 'eth_getTransactionCount of an account that is gone by now',
    why: 'is the nonce at the height asked for; the reference looks at the latest state first and says 0',
    decision: 'D24',
    operation: /^eth_getTransactionCount$/,
    explains: ({ at, reference, ours }) => at === 'body.result' && reference === '0x0' && ours !== undefined,
  },
  {
    id: 'early-proofs',
    where: 'eth_getProof at the first two heights',
    why: 'is answered, where the reference refuses',
    decision: 'D28',
    operation: /^eth_getProof$/,
    explains: (_, { referenceBody }) =>
      /^proof queries at ABCI block height/.test(errorOf(referenceBody)?.message ?? ''),
  },
  {
    id: 'peer-count',
    where: 'net_peerCount',
    why: 'is a quantity, as in geth, not a number',
    decision: 'D24',
    operation: /^net_peerCount$/,
    explains: ({ reference, ours }) => ours === `0x${Number(reference).toString(16)}`,
  },
  {
    id: 'sha3-of-bytes',
    where: 'web3_sha3',
    why: 'hashes the bytes, as in geth, not the text that names them',
    decision: 'D24',
    operation: /^web3_sha3$/,
    explains: ({ at }) => at === 'body.result',
  },
  {
    id: 'own-keys',
    where: 'eth_accounts',
    why: 'names the development keys of this node; the reference named those in its own keyring',
    operation: /^eth_accounts$/,
    explains: ({ at }) => /^body\.result/.test(at),
  },
]
