/** Thirteen transactions on anvil 1.7.1, each in a block of its own from block 1, and its answers about them. */
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

interface RecordedAnswer {
  readonly method: string
  readonly params: readonly unknown[]
  readonly result: unknown
}

export const traces = JSON.parse(
  gunzipSync(readFileSync(new URL('traces-1.7.1.json.gz', import.meta.url))).toString(),
) as {
  /** Signed, in order: for chain 31337, by the first account of the usual mnemonic. */
  readonly transactions: readonly string[]
  readonly answers: readonly RecordedAnswer[]
}
