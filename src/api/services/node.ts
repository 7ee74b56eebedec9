/** `sdk.base.node.v1beta1.Service`: configuration and status of this node. */
import { Service } from '../../gen/sdk/base/node/v1beta1/query_pb.ts'
import { EMPTY } from '../../primitives/bytes.ts'
import { toTimestamp } from '../../primitives/time.ts'
import { defineService } from './service.ts'

export const nodeService = defineService(Service, {
  config({ node }) {
    const { minGasPrice, keepHeights } = node.settings
    return {
      minimumGasPrice: minGasPrice,
      ...(keepHeights > 0 && { pruningKeepRecent: String(keepHeights), pruningInterval: '1' }),
    }
  },

  status({ node }) {
    const { blocks } = node
    const latest = blocks.block(blocks.latestHeight())
    return {
      earliestStoreHeight: node.withContext(undefined, ({ store }) => store.earliest) ?? blocks.earliestHeight(),
      height: blocks.latestHeight(),
      ...(latest && { timestamp: toTimestamp(latest.header.timeNs) }),
      appHash: latest?.nextAppHash ?? EMPTY,
      validatorHash: latest?.header.nextValidatorsHash ?? EMPTY,
    }
  },
})
