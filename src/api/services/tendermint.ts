/** `sdk.base.tendermint.v1beta1.Service`: blocks, validators and ABCI queries over REST and gRPC. */
import { create, toBinary } from '@bufbuild/protobuf'
import { blockIdInit } from '../../app/header.ts'
import type { StoredBlock, Validator } from '../../app/records.ts'
import { BLOCK_PROTOCOL } from '../../consensus/comet/encoding.ts'
import { sortValidators } from '../../consensus/comet/hashes.ts'
import type { PageRequest } from '../../gen/sdk/base/query/v1beta1/pagination_pb.ts'
import { Service } from '../../gen/sdk/base/tendermint/v1beta1/query_pb.ts'
import { PubKeySchema } from '../../gen/sdk/crypto/ed25519/keys_pb.ts'
import { formatBech32 } from '../../primitives/address.ts'
import { EMPTY, parseHex } from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'
import { answerAbciQuery } from '../abci-query.ts'
import { withWholeBlock } from '../cometbft/engine.ts'
import { appVersionOf, peerOf } from '../cometbft/node.ts'
import type { GatewayNode } from '../gateway.ts'
import { page } from '../search/page.ts'
import { APPLICATION_NAME, P2P_PROTOCOL, SDK_VERSION } from '../software.ts'
import { blockInit, requireBlock, sdkBlockInit } from './blocks.ts'
import { defineService } from './service.ts'

export const tendermintService = defineService(Service, {
  async getNodeInfo({ node, nodeInfo }) {
    const peer = await peerOf(node, nodeInfo)
    return {
      defaultNodeInfo: {
        protocolVersion: { p2p: P2P_PROTOCOL, block: BLOCK_PROTOCOL, app: appVersionOf(node) },
        defaultNodeId: peer.id,
        listenAddr: peer.listen_addr,
        network: node.chainId,
        version: peer.version,
        channels: parseHex(peer.channels) ?? EMPTY,
        moniker: nodeInfo.moniker,
        other: { txIndex: 'on', rpcAddress: nodeInfo.rpcAddress },
      },
      applicationVersion: {
        name: APPLICATION_NAME,
        appName: APPLICATION_NAME,
        version: node.settings.version,
        goVersion: `node ${process.version}`,
        sdkVersion: SDK_VERSION,
      },
    }
  },

  getSyncing({ node }) {
    return { syncing: node.driver.status().catchingUp }
  },

  getLatestBlock({ node, nodeInfo }) {
    const latest = requireBlock(node, node.blocks.latestHeight())
    return withWholeBlock(nodeInfo, latest, (block) => blockResponse(node, block))
  },

  getBlockByHeight({ node, nodeInfo }, { height }) {
    return withWholeBlock(nodeInfo, requireBlock(node, height), (block) => blockResponse(node, block))
  },

  getLatestValidatorSet({ node }, { pagination }) {
    return validatorSet(node, node.blocks.latestHeight(), pagination)
  },

  getValidatorSetByHeight({ node }, { height, pagination }) {
    requireBlock(node, height)
    return validatorSet(node, height, pagination)
  },

  async aBCIQuery({ node, nodeInfo }, { path, data, height, prove }) {
    if (!/^\/(app|store|p2p|custom)\//.test(path)) {
      throw queryError('invalidArgument', `only ABCI queries of /app, /store, /p2p and /custom are served, not ${path}`)
    }
    return await answerAbciQuery({ node, nodeInfo }, { path, data, height, prove }, { throwsHeightErrors: true })
  },
})

function blockResponse({ identity }: GatewayNode, block: StoredBlock) {
  return {
    blockId: blockIdInit(block.blockId),
    block: blockInit(block),
    sdkBlock: sdkBlockInit(block, formatBech32(identity.bech32.consensus, block.header.proposer)),
  }
}

function validatorSet(node: GatewayNode, height: bigint, pagination: PageRequest | undefined) {
  const validators = sortValidators(node.blocks.validators(height) ?? [])
  const limit = pagination?.limit || 100n
  const { items, total } = page(validators, (pagination?.offset ?? 0n) / limit + 1n, limit)
  return {
    blockHeight: height,
    validators: items.map((validator) => validatorInit(node, validator)),
    pagination: { total: BigInt(total) },
  }
}

function validatorInit({ identity }: GatewayNode, { address, publicKey, power, priority = 0n }: Validator) {
  return {
    address: formatBech32(identity.bech32.consensus, address),
    pubKey: {
      typeUrl: `/${identity.toProfileName(PubKeySchema.typeName)}`,
      value: toBinary(PubKeySchema, create(PubKeySchema, { key: publicKey })),
    },
    votingPower: power,
    proposerPriority: priority,
  }
}
