import { verify } from 'node:crypto'
import { expect, test } from 'vitest'
import type { BlockHeader, Commit, StoredBlock, TxResult } from '../../app/records.ts'
import { concat, EMPTY, formatHex, hex, utf8 } from '../../primitives/bytes.ts'
import { sha256 } from '../../primitives/hash.ts'
import { parseRfc3339 } from '../../primitives/time.ts'
import { headerJson, txResultEventJson, txResultJson } from './block-json.ts'
import { encodePrecommitSignBytes } from './encoding.ts'
import {
  blockIdOf,
  hashCommit,
  hashConsensusParams,
  hashData,
  hashHeader,
  hashResults,
  hashValidators,
  NO_EVIDENCE_HASH,
  sortValidators,
} from './hashes.ts'
import { merkleProof, merkleRoot } from './merkle.ts'
import { blockJson, blockMetaJson } from './stored-block-json.ts'

/** Block 18 of a chain made by CometBFT 0.38.25, with the hashes of the next one. */
const BLOCK_17_ID = {
  hash: hex('35CFE9E3F5D813B65F4C255EC3E5C5254C9D8E47F025F3595ABE2138E5848BA7'),
  partsTotal: 1,
  partsHash: hex('5062AF3AD221EBE5DCFDBA6D39DAC04DA27A91DF58BF92FD7B018563B32AFC53'),
}
const BLOCK_18_ID = {
  hash: hex('C655C2308CB5AC053BF0A2378A07431A07919D8CFD8FA0EB15F4B72D5A1DC662'),
  partsTotal: 1,
  partsHash: hex('D17D2CAB81279AD1A3DED7230F55D1264E38BFD24AA5C2016D240A7982221833'),
}
const PROPOSER = hex('3EBE0520EFC3F35EAF65295ED36028D399187C01')
const VALIDATOR = {
  address: PROPOSER,
  publicKey: new Uint8Array(Buffer.from('UbC2JttKao5zBMx8BP41EVVANECH71yOjdFo5uUIQK0=', 'base64')),
  power: 10n,
}
const HEADER: BlockHeader = {
  chainId: 'test-chain-oSB9n6',
  height: 18n,
  timeNs: parseRfc3339('2026-11-20T15:52:18.701336358Z')!,
  lastBlockId: BLOCK_17_ID,
  lastCommitHash: hex('97AA421D408D2F247215DEC4F7171B2B2CC033B6FFA2F389F41E5F4F2864B115'),
  dataHash: hex('3169DB14229E541D6C0171DA28A010E1A0791217FC765ED3F283241AA1BD7EFC'),
  validatorsHash: hex('99FA64BE1095CF491A8A6352256967E5B78DAF1265EAC792D59A6203C2FB5CE1'),
  nextValidatorsHash: hex('99FA64BE1095CF491A8A6352256967E5B78DAF1265EAC792D59A6203C2FB5CE1'),
  consensusHash: hex('048091BC7DDC283F77BFBF91D73C44DA58C3DF8A9CBC867405D8B7F3DAADA22F'),
  appHash: hex('0000000000000011'),
  lastResultsHash: hex('19AEE36A5B644795A2F2F0690998F83241BDA9DAF9A65DF7B67D0020BC67F7BA'),
  evidenceHash: hex('E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855'),
  proposer: PROPOSER,
}
const TXS = ['multia', 'multib', 'multic', 'multid', 'multie'].map(utf8)
const commit = (height: bigint, blockId: typeof BLOCK_17_ID, time: string, signature: string): Commit => ({
  height,
  round: 0,
  blockId,
  signatures: [
    {
      flag: 2,
      validator: PROPOSER,
      timeNs: parseRfc3339(time)!,
      signature: new Uint8Array(Buffer.from(signature, 'base64')),
    },
  ],
})
const COMMIT_17 = commit(
  17n,
  BLOCK_17_ID,
  '2026-11-20T15:52:18.701336358Z',
  'vC7W3VEHJP/zlM5Dc7SkSNfdxaHNAw8nFuNYZTw8vXN0rvYY4O4o+9o4TlMCczb+pkxBf13/bQSdQKs9W66dAg==',
)
const COMMIT_18 = commit(
  18n,
  BLOCK_18_ID,
  '2026-11-20T15:52:18.821110241Z',
  'KYxqIQayySprslXx+aQ7vUytgo6rOb0tNBaygal/czt/G44zHRfs4um/G/NQlgcaQzxOsDXVPK+C6A59k3jCAw==',
)
const FAILED: TxResult = {
  code: 7,
  codespace: '',
  log: 'log0.1',
  info: '',
  data: EMPTY,
  gasWanted: 0n,
  gasUsed: 0n,
  events: [],
}

test('a header hashes to the block hash of CometBFT', () => {
  expect(formatHex(hashHeader(HEADER))).toBe(formatHex(BLOCK_18_ID.hash))
})

test('headers that differ in one field hash to other values, whatever was hashed before', () => {
  const changed: Partial<BlockHeader>[] = [
    { dataHash: hashData([utf8('another')]) },
    { validatorsHash: sha256(utf8('validators')) },
    { nextValidatorsHash: sha256(utf8('next')) },
    { consensusHash: sha256(utf8('parameters')) },
    { lastResultsHash: sha256(utf8('results')) },
    { evidenceHash: sha256(utf8('evidence')) },
    { proposer: HEADER.proposer.map((byte) => byte ^ 1) },
  ]
  const hashes = changed.map((fields) => formatHex(hashHeader({ ...HEADER, ...fields })))
  expect(new Set([...hashes, formatHex(BLOCK_18_ID.hash)]).size).toBe(changed.length + 1)
  expect(formatHex(hashHeader(HEADER))).toBe(formatHex(BLOCK_18_ID.hash))
  expect(changed.map((fields) => formatHex(hashHeader({ ...HEADER, ...fields })))).toEqual(hashes)
  const proposer = HEADER.proposer.slice()
  hashHeader({ ...HEADER, proposer })
  proposer[0]! ^= 1
  expect(formatHex(hashHeader({ ...HEADER, proposer }))).not.toBe(formatHex(BLOCK_18_ID.hash))
})

test('transactions, commit, validators, parameters, results and evidence hash to the fields of the header', () => {
  expect(hashData(TXS)).toEqual(HEADER.dataHash)
  expect(hashCommit(COMMIT_17)).toEqual(HEADER.lastCommitHash)
  expect(formatHex(hashCommit(COMMIT_18))).toBe('801eb92417176d702c23a97f6316dcbfba8daf841e034189980f117a3f6a2fb1')
  expect(hashValidators([VALIDATOR])).toEqual(HEADER.validatorsHash)
  expect(hashConsensusParams({ maxBytes: 22_020_096n, maxGas: -1n })).toEqual(HEADER.consensusHash)
  expect(formatHex(hashResults(Array(5).fill(FAILED)))).toBe(
    'c647caf37c035fd4a00b62a45b65e63b40de67a50f5c193494d3969ebe57c76a',
  )
  expect(NO_EVIDENCE_HASH).toEqual(HEADER.evidenceHash)
  expect(hashData([])).toEqual(sha256(EMPTY))
  expect(hashCommit(undefined)).toEqual(sha256(EMPTY))
})

test('the part set of a block has the root in its votes', () => {
  expect(blockIdOf(HEADER, TXS, COMMIT_17)).toEqual(BLOCK_18_ID)
})

test('a large block is cut into parts of 65,536 bytes', () => {
  expect(blockIdOf(HEADER, [new Uint8Array(200_000)], COMMIT_17).partsTotal).toBe(4)
})

test('the engine’s own signature verifies over the precommit sign bytes', () => {
  const [signature] = COMMIT_18.signatures
  const signBytes = encodePrecommitSignBytes({
    chainId: HEADER.chainId,
    height: 18n,
    round: 0,
    blockId: BLOCK_18_ID,
    timeNs: signature!.timeNs,
  })
  expect(formatHex(signBytes)).toBe(
    '76080211120000000000000022480a20c655c2308cb5ac053bf0a2378a07431a07919d8cfd8fa0eb15f4b72d5a1dc66212240801' +
      '1220d17d2cab81279ad1a3ded7230f55d1264e38bfd24aa5c2016d240a79822218332a0c08b2d981d80610e1cbc487033211' +
      '746573742d636861696e2d6f5342396e36',
  )
  const spki = concat(hex('302a300506032b6570032100'), VALIDATOR.publicKey)
  const key = { key: Buffer.from(spki), format: 'der', type: 'spki' } as const
  expect(verify(null, signBytes, key, signature!.signature)).toBe(true)
})

test('validators are sorted by power, then by address', () => {
  const at = (byte: number, power: bigint) => ({ ...VALIDATOR, address: new Uint8Array(20).fill(byte), power })
  expect(sortValidators([at(3, 1n), at(2, 5n), at(1, 5n)]).map(({ address }) => address[0])).toEqual([1, 2, 3])
})

test('every leaf of a tree of any size is proved by its aunts', () => {
  for (let size = 1; size <= 9; size++) {
    const leaves = Array.from({ length: size }, (_, i) => utf8(`leaf ${i}`))
    for (let index = 0; index < size; index++) {
      const proof = merkleProof(leaves, index)
      expect(foldProof(proof.leafHash, proof.index, proof.total, [...proof.aunts])).toEqual(merkleRoot(leaves))
    }
  }
  expect(() => merkleProof([], 0)).toThrow(RangeError)
})

/** Verifies a proof of RFC 6962, from the leaf to the root, as light clients do. */
function foldProof(leafHash: Uint8Array, index: number, total: number, aunts: Uint8Array[]): Uint8Array {
  if (total === 1) return leafHash
  const outermost = aunts.pop()!
  let left = 1
  while (left * 2 < total) left *= 2
  return index < left
    ? sha256(concat(new Uint8Array([1]), foldProof(leafHash, index, left, aunts), outermost))
    : sha256(concat(new Uint8Array([1]), outermost, foldProof(leafHash, index - left, total - left, aunts)))
}

const STORED: StoredBlock = {
  header: HEADER,
  hash: BLOCK_18_ID.hash,
  blockId: BLOCK_18_ID,
  txs: TXS,
  results: [],
  lastCommit: COMMIT_17,
  commit: COMMIT_18,
  blockEvents: [],
  evmTxs: [],
  evmGasUsed: 0n,
  baseFeeWei: 0n,
  gasLimit: 0n,
  coinbase: new Uint8Array(20),
  nextAppHash: EMPTY,
}

test('a block prints as CometBFT prints it', () => {
  const json = JSON.parse(JSON.stringify(blockJson(STORED)))
  expect(json.header).toMatchObject({
    version: { block: '11' },
    height: '18',
    time: '2026-11-20T15:52:18.701336358Z',
    last_block_id: { parts: { total: 1 } },
    app_hash: '0000000000000011',
    proposer_address: '3EBE0520EFC3F35EAF65295ED36028D399187C01',
  })
  expect(json.data.txs[0]).toBe('bXVsdGlh')
  expect(json.last_commit).toEqual({
    height: '17',
    round: 0,
    block_id: {
      hash: '35CFE9E3F5D813B65F4C255EC3E5C5254C9D8E47F025F3595ABE2138E5848BA7',
      parts: { total: 1, hash: '5062AF3AD221EBE5DCFDBA6D39DAC04DA27A91DF58BF92FD7B018563B32AFC53' },
    },
    signatures: [
      {
        block_id_flag: 2,
        validator_address: '3EBE0520EFC3F35EAF65295ED36028D399187C01',
        timestamp: '2026-11-20T15:52:18.701336358Z',
        signature: 'vC7W3VEHJP/zlM5Dc7SkSNfdxaHNAw8nFuNYZTw8vXN0rvYY4O4o+9o4TlMCczb+pkxBf13/bQSdQKs9W66dAg==',
      },
    ],
  })
  expect(blockMetaJson(STORED)).toMatchObject({ block_size: '615', num_txs: '5' })
  expect(headerJson({ ...HEADER, lastBlockId: { hash: EMPTY, partsTotal: 0, partsHash: EMPTY } })).toMatchObject({
    last_block_id: { hash: '', parts: { total: 0, hash: '' } },
  })
})

test('results have all fields in block_results, and only non-zero ones in subscriptions', () => {
  expect(txResultJson(FAILED)).toEqual({
    code: 7,
    data: null,
    log: 'log0.1',
    info: '',
    gas_wanted: '0',
    gas_used: '0',
    events: [],
    codespace: '',
  })
  expect(txResultEventJson(FAILED)).toEqual({ code: 7, log: 'log0.1' })
})
