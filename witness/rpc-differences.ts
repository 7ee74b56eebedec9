/** Differences in answers over JSON-RPC, a section of the list in `differences.ts`. */
import type { AnswerDifference } from './difference.ts'
import { errorOf, isAdded, referenceError, sameLogsOfTransactions } from './exchange.ts'

export const JSON_RPC: readonly AnswerDifference[] = [
  {
    id: 'geth-null',
    where: 'eth_getBlockBy…, eth_getTransactionBy… of an unknown block or transaction',
    explanation: 'The answer is `null`, as in geth, not an error.',
    source: 'D24',
    operation: /^eth_get(Block|Transaction)By/,
    explains: ({ at }, exchange) =>
      /^body\.(error|result)$/.test(at) &&
      /not found/.test(referenceError(exchange).message ?? '') &&
      (exchange.oursBody as { result?: unknown }).result === null,
  },
  {
    id: 'geth-fields',
    where: 'logs, transactions, eth_feeHistory',
    explanation:
      'The answer has fields of newer geth releases: blockTimestamp, yParity, baseFeePerBlobGas, blobGasUsedRatio.',
    source: 'D24',
    operation: /^eth_/,
    explains: (mismatch) => isAdded(mismatch, /^(blockTimestamp|yParity|baseFeePerBlobGas|blobGasUsedRatio)$/),
  },
  {
    id: 'receipt-addresses',
    where: 'receipts',
    explanation: '`to` of a creation, and `contractAddress` of any other transaction, are null, as in geth.',
    source: 'D24',
    operation: /^eth_getTransactionReceipt$/,
    explains: ({ at, reference, ours }) =>
      ours === null &&
      ((at.endsWith('.to') && reference === undefined) ||
        (at.endsWith('.contractAddress') && reference === `0x${'00'.repeat(20)}`)),
  },
  {
    id: 'gas-of-evm-transactions',
    where: '`gasUsed` of blocks, `cumulativeGasUsed` of receipts, `gasUsedRatio`',
    explanation:
      'The value is the sum over EVM transactions, the only ones that JSON-RPC shows. The reference adds the SDK transactions of the block.',
    source: 'D24',
    operation: /^eth_get(BlockBy|TransactionReceipt)/,
    explains: ({ at, reference, ours }) =>
      /^body\.result\.(gasUsed|cumulativeGasUsed)$/.test(at) && BigInt(reference as string) > BigInt(ours as string),
  },
  {
    id: 'logs-of-failed',
    where: 'eth_getTransactionLogs of a failed transaction',
    explanation: 'The answer is an empty list, as in the receipt, not an error.',
    source: 'D24',
    operation: /^eth_getTransactionLogs$/,
    explains: (_, { referenceBody, oursBody }) =>
      /eth tx did not succeed/.test(errorOf(referenceBody)?.message ?? '') &&
      (oursBody as { result?: readonly unknown[] }).result?.length === 0,
  },
  {
    id: 'logs-with-transaction',
    where: 'eth_getLogs',
    explanation:
      'The answer has only logs of EVM transactions. The reference adds logs of other messages, with a transaction hash of zeros.',
    source: 'D24',
    operation: /^eth_getLogs$/,
    explains: (_, exchange) => sameLogsOfTransactions(exchange),
  },
  {
    id: 'log-range',
    where: 'eth_getLogs with a range that ends before it begins',
    explanation: 'The answer is an error, as in geth, not an empty list.',
    source: 'D24',
    operation: /^eth_getLogs$/,
    explains: (_, { oursBody }) => errorOf(oursBody)?.message === 'invalid block range params',
  },
  {
    id: 'safe-tag',
    where: 'block tag `safe`',
    explanation: 'Every method accepts the tag. The reference refuses it.',
    source: 'D24',
    operation: /^eth_/,
    explains: (_, { question, referenceBody }) =>
      question.text.includes('"safe"') && /0x prefix/.test(errorOf(referenceBody)?.message ?? ''),
  },
  {
    id: 'pending-block',
    where: 'eth_getBlockByNumber at `pending`',
    explanation:
      'The answer is the block after the latest one, with the transactions that wait. The reference answers the latest one.',
    source: 'D24',
    operation: /^eth_getBlockByNumber$/,
    explains: (_, { question, referenceBody, oursBody }) => {
      const [latest, next] = [referenceBody, oursBody].map(
        (body) => (body as { result?: Record<string, unknown> }).result,
      )
      return question.text.includes('"pending"') && latest !== undefined && next?.['parentHash'] === latest['hash']
    },
  },
  {
    id: 'nonce-at-height',
    where: 'eth_getTransactionCount of an account that no longer exists',
    explanation:
      'The answer is the nonce at the requested height. The reference reads the latest state first and answers 0.',
    source: 'D24',
    operation: /^eth_getTransactionCount$/,
    explains: ({ at, reference, ours }) => at === 'body.result' && reference === '0x0' && ours !== undefined,
  },
  {
    id: 'early-proofs',
    where: 'eth_getProof at the first two heights',
    explanation: 'The proof is answered. The reference refuses it.',
    source: 'D28',
    operation: /^eth_getProof$/,
    explains: (_, { referenceBody }) =>
      /^proof queries at ABCI block height/.test(errorOf(referenceBody)?.message ?? ''),
  },
  {
    id: 'peer-count',
    where: 'net_peerCount',
    explanation: 'The answer is a quantity, as in geth, not a JSON number.',
    source: 'D24',
    operation: /^net_peerCount$/,
    explains: ({ reference, ours }) => ours === `0x${Number(reference).toString(16)}`,
  },
  {
    id: 'sha3-of-bytes',
    where: 'web3_sha3',
    explanation: 'The answer is the hash of the bytes, as in geth. The reference hashes their hexadecimal text.',
    source: 'D24',
    operation: /^web3_sha3$/,
    explains: ({ at }) => at === 'body.result',
  },
  {
    id: 'own-keys',
    where: 'eth_accounts',
    explanation: 'The answer lists the development keys of this node. The reference lists the keys of its keyring.',
    operation: /^eth_accounts$/,
    explains: ({ at }) => /^body\.result/.test(at),
  },
]
