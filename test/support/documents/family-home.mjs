// Writes a home of the family's tool into a folder: the keyrings that the Cosmos SDK has written.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const [folder] = process.argv.slice(2)
const vectors = new URL('../../../src/cli/keys/family-keyring.vectors.json', import.meta.url)
const keyrings = JSON.parse(readFileSync(vectors, 'utf8'))
for (const backend of ['file', 'test']) {
  const keyring = join(folder, `keyring-${backend}`)
  mkdirSync(keyring, { recursive: true })
  for (const [name, text] of Object.entries(keyrings[backend])) writeFileSync(join(keyring, name), text)
}
