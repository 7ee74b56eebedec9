/** `debug_` methods of geth that this node refuses, with the reason. */
import { type Methods, refusedMethod } from '../method.ts'

const NO_TRIES = 'this chain keeps IAVL trees, not Merkle Patricia tries'
const NO_FILES = 'this node neither reads nor writes files for its clients'
const OWN_DATABASE = 'the database is LMDB'

const noWitness = refusedMethod(`${NO_TRIES}, so there is no witness of them: eth_getProof proves accounts and slots`)
const noFiles = refusedMethod(`${NO_FILES}: ask debug_traceBlock or debug_traceBlockByNumber`)
const noFlush = refusedMethod(`${NO_TRIES}, and writes them with each block: there is no interval`)
const noAncients = refusedMethod('old blocks are not moved to another database: read them by eth_getBlockByNumber')

const noVerbosity = refusedMethod('the level of the log is the setting log.level, which is read at the start')

export const refusedDebugMethods: Methods = {
  debug_verbosity: noVerbosity,
  debug_vmodule: noVerbosity,
  debug_executionWitness: noWitness,
  debug_executionWitnessByHash: noWitness,
  debug_intermediateRoots: refusedMethod('this chain computes one root a block: no root is between transactions'),
  debug_preimage: refusedMethod(
    'preimages are not stored: debug_dumpBlock names accounts and slots, debug_codeByHash code',
  ),
  debug_chaindbProperty: refusedMethod(`${OWN_DATABASE}, which has no such properties: its size is a metric`),
  debug_chaindbCompact: refusedMethod(`${OWN_DATABASE}, which uses freed pages again and is not compacted`),
  debug_dbAncient: noAncients,
  debug_dbAncients: noAncients,
  debug_setTrieFlushInterval: noFlush,
  debug_getTrieFlushInterval: noFlush,
  debug_standardTraceBlockToFile: noFiles,
  debug_standardTraceBadBlockToFile: noFiles,
  debug_traceBlockFromFile: noFiles,
  debug_traceChain: refusedMethod('there is no subscription to traces: ask debug_traceBlockByNumber for each block'),
}
