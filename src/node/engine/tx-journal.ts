/** The file of the transactions that wait in the pool of a node under CometBFT: each with its length in front, 4 bytes. */
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import type { TxJournal } from '../../consensus/cometbft/kept-txs.ts'
import { concat } from '../../primitives/bytes.ts'

const LENGTH_BYTES = 4

function frame(tx: Uint8Array): Uint8Array {
  const head = new Uint8Array(LENGTH_BYTES)
  new DataView(head.buffer).setUint32(0, tx.length)
  return concat(head, tx)
}

/** Opens the journal. A process that was killed within a write leaves a last transaction that is not read. */
export function openTxJournal(path: string): TxJournal {
  mkdirSync(dirname(path), { recursive: true })
  let file: number | undefined
  const write = (target: number, bytes: Uint8Array): void => {
    let at = 0
    while (at < bytes.length) at += writeSync(target, bytes, at)
  }
  return {
    read() {
      const bytes = existsSync(path) ? readFileSync(path) : new Uint8Array()
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      const txs: Uint8Array[] = []
      for (let at = 0; at + LENGTH_BYTES <= bytes.length; ) {
        const end = at + LENGTH_BYTES + view.getUint32(at)
        if (end > bytes.length) break
        txs.push(Uint8Array.from(bytes.subarray(at + LENGTH_BYTES, end)))
        at = end
      }
      return txs
    },
    add(tx) {
      file ??= openSync(path, 'a', 0o600)
      write(file, frame(tx))
    },
    replace(txs) {
      if (file !== undefined) closeSync(file)
      file = undefined
      const next = openSync(`${path}.new`, 'w', 0o600)
      for (const tx of txs) write(next, frame(tx))
      closeSync(next)
      renameSync(`${path}.new`, path)
    },
  }
}
