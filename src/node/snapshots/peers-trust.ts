/** The facts about a chain by which a snapshot of its peers is fetched, from the RPC of its nodes. */
import type { GenesisDocument } from '../../app/types.ts'
import { createNodeBlocks } from '../../consensus/follow/rpc/node-blocks.ts'
import { createNodeRpc, type NodeRpc, requireUrl } from '../../consensus/follow/rpc/node-rpc.ts'
import { formatHex } from '../../primitives/bytes.ts'

export interface AskedChain {
  readonly genesis: GenesisDocument
  /** The latest block, its hash as hexadecimal digits. */
  readonly tip: { readonly height: bigint; readonly hash: string }
}

/** Resolves with the genesis document and the latest block. Throws `invalidArgument` for a wrong URL; rejects as `NodeRpc`. */
export async function readChain(urls: readonly string[]): Promise<AskedChain> {
  for (const url of urls.length === 0 ? [''] : urls) requireUrl(url, '--rpc')
  const rpc = createNodeRpc({ urls })
  const { height, hash } = await createNodeBlocks(rpc).tip(new AbortController().signal)
  return { genesis: JSON.parse(await genesisOf(rpc)) as GenesisDocument, tip: { height, hash: formatHex(hash) } }
}

/** Resolves with the genesis document, which is asked for in chunks if it is large. */
export async function genesisOf(rpc: NodeRpc): Promise<string> {
  const never = new AbortController().signal
  try {
    const { genesis } = await rpc.call('genesis', {}, never)
    return JSON.stringify(genesis)
  } catch (error) {
    if (!/chunk/i.test(String(error))) throw error
  }
  let text = ''
  for (let chunk = 0; ; chunk++) {
    const found = await rpc.call('genesis_chunked', { chunk: String(chunk) }, never)
    text += Buffer.from(String(found['data']), 'base64').toString('utf8')
    if (chunk + 1 >= Number(found['total'])) return text
  }
}
