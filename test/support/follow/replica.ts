/** A replica of a fake node, in this process and without ports. */
import { type AssembledNode, assembleNode } from '../../../src/node/assembly.ts'
import { resolveConfig } from '../../../src/node/config.ts'
import type { Log } from '../../../src/node/log.ts'
import type { FakeNode } from './fake-node.ts'

/** Starts a replica in a home. A second start of the same home continues. Flags as `almanac follow` has them. */
export function startReplica(
  node: Pick<FakeNode, 'stream' | 'url'>,
  home: string,
  flags: Readonly<Record<string, string>> = {},
  log: Log = () => undefined,
): Promise<AssembledNode> {
  return assembleNode({
    resolved: resolveConfig({
      flags: { consensus: 'follow', stream: node.stream, rpc: node.url, ...flags },
      caller: { api: { workers: 0 }, compute: { workers: 0 } },
    }),
    home,
    freePorts: true,
    openPorts: false,
    log,
  })
}
