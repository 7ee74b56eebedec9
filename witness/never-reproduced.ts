/** Holes of the reference that no profile reproduces, since they endanger a node or its users. Recordings do not show them. */

interface NeverReproduced {
  readonly where: string
  readonly explanation: string
  readonly source: string
}

export const NEVER_REPRODUCED: readonly NeverReproduced[] = [
  {
    where: 'the envelope of an Ethereum transaction',
    explanation:
      'The envelope has one encoding, and any other bytes are refused. The reference accepts bytes that are neither signed nor paid: the value of the extension option, a tip, `from`, a memo, other spellings of numbers and type URLs.',
    source: 'docs/modules/evm.md#envelope',
  },
  {
    where: 'signatures of multisig accounts',
    explanation:
      'The list of signatures has one encoding. The reference accepts others, so that a stranger can change the hash of a transaction.',
    source: 'docs/transactions.md#signatures',
  },
  {
    where: 'nesting',
    explanation:
      'A transaction has at most 32 levels and 65,536 nodes of messages, contents of `Any` values and groups. The reference has its own limits, or only those of its stack.',
    source: 'docs/transactions.md#decoding',
  },
]
