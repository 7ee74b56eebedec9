/** Methods that answer with a result whose meaning is not that of the other programs. */
export const DIFFERENCES: Readonly<Record<string, string>> = {
  debug_getRawBlock: 'the fields of the JSON; the hash of the block is that of CometBFT',
  debug_getRawHeader: 'the fields of the JSON; the hash of the block is that of CometBFT',
  debug_dumpBlock: '`root` is the app hash after the block',
  eth_blobBaseFee: 'there are no blobs',
  eth_getProof: 'ICS-23 proofs against the app hash; `storageHash` is zero',
  eth_getUncleByBlockHashAndIndex: 'null: blocks have no uncles',
  eth_getUncleByBlockNumberAndIndex: 'null: blocks have no uncles',
  eth_signTransaction: 'an object as in geth, whose `raw` is the answer of anvil',
  eth_simulateV1: 'the state root of a simulated block is zero',
  ots_getBlockDetails: 'the issuance is 0: inflation is paid at the ends of epochs',
  ots_getBlockDetailsByHash: 'the issuance is 0: inflation is paid at the ends of epochs',
}

/** Errors that are the right answer, because the chain has nothing to answer with. */
export const EXPECTED_ERRORS: Readonly<Record<string, string>> = {
  broadcast_evidence: 'no evidence was provided',
  debug_traceBadBlock: 'bad block 0x… not found',
}

/** Why the node does not have a method, by its name. */
export const REASONS: readonly (readonly [RegExp, string])[] = [
  [/^admin_/, 'ports and peers are settings, read at the start; the chain is exported by `almanac export`'],
  [/^miner_|^eth_(etherbase|getWork|submitWork|submitHashrate)$/, 'validators make the blocks, without proof of work'],
  [/^personal_/, 'a node keeps no keys but those of a development chain: `almanac keys`'],
  [/^(anvil_set(FeeAmmLiquidity|FeeToken|ValidatorFeeToken))$/, 'for the fee tokens of another network'],
  [/^hardhat_(addCompilationResult|getStackTraceFailuresCount)$/, 'this node makes no stack traces of Solidity'],
  [/^debug_(clearTxpool)$/, '`anvil_dropAllTransactions` on a development chain'],
  [/^debug_(freezeClient|stateSize|sync|syncTarget)$/, "about geth's own database and synchronisation"],
  [/^debug_backtraceAt$/, 'the log level is the setting `log.level`'],
  [/^debug_/, 'about the runtime of Go: this node runs on Node.js, whose inspector has profiles'],
]
