/** Tools of a development chain: blocks, time, snapshots, accounts, deployment, and the node's log. */
import { useNode } from '../api/node.ts'
import { Empty, Skeleton } from '../ui/loaded.tsx'
import { PageTitle } from '../ui/section.tsx'
import { Accounts } from './accounts.tsx'
import { Blocks, Clock, Snapshots } from './blocks.tsx'
import { Deploy } from './deploy.tsx'
import { NodeLog } from './log.tsx'

export default function DevelopmentPage() {
  const node = useNode()
  return (
    <>
      <PageTitle title="Development">Change this chain: its blocks, its clock, its accounts.</PageTitle>
      {!node && <Skeleton lines={10} />}
      {node && !node.development && (
        <Empty>
          This is no development chain: its state changes by transactions alone. A localnet of one node is one, unless
          it was started with --no-dev.
        </Empty>
      )}
      {node?.development && !node.rpc && (
        <Empty>JSON-RPC is turned off on this node, and these tools are methods of it.</Empty>
      )}
      {node?.development && node.rpc && (
        <>
          <div class="dev-columns">
            <div>
              <Blocks />
              <Clock />
              <Snapshots />
            </div>
            <div>
              <Accounts />
              <Deploy />
            </div>
          </div>
          <NodeLog />
        </>
      )}
    </>
  )
}
