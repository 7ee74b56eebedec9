/**
 * The least that a restore can be: inflates the chunks in a folder, reads their items, and appends the pairs to a bare LMDB that
 * is flushed at the end. It checks nothing and keeps no tree.
 */
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInflate } from 'node:zlib'
import { open } from 'lmdb'
import { flushFile } from '../../src/node/files.ts'
import { findChunks } from '../../src/node/snapshots/folder.ts'
import { createItemReader } from '../../src/store/sync/items.ts'

const [from, to] = process.argv.slice(2) as [string, string]
mkdirSync(to)
const db = open<Buffer, Buffer>({ path: to, encoding: 'binary', keyEncoding: 'binary', noSync: true, mapSize: 2 ** 36 })
const inflate = createInflate({ chunkSize: 1 << 18 })
const reader = createItemReader()
let store = -1
let rows: { readonly key: Buffer; readonly value: Buffer }[] = []

function write(): void {
  db.transactionSync(() => {
    for (const { key, value } of rows) db.putSync(key, value, { append: true })
  })
  rows = []
}

const read = (async () => {
  for await (const piece of inflate) {
    for (const item of reader.push(piece as Uint8Array)) {
      if (item.kind === 'store') store++
      if (item.kind !== 'node' || item.height > 0) continue
      rows.push({ key: Buffer.concat([Buffer.of(store), item.key]), value: Buffer.from(item.value) })
      if (rows.length >= 20_000) write()
    }
  }
  reader.end()
})()
for (const path of findChunks(from).paths) {
  await new Promise<void>((resolve, reject) =>
    inflate.write(readFileSync(path), (error) => (error ? reject(error) : resolve())),
  )
}
inflate.end()
await read
write()
await db.close()
flushFile(join(to, 'data.mdb'))
