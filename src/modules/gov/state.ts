/** Collections of store `gov` (docs/modules/gov.md#state), and the account with the deposits. */
import {
  type Deposit,
  DepositSchema,
  type Params,
  ParamsSchema,
  type Proposal,
  ProposalSchema,
  type Vote,
  VoteSchema,
} from '../../gen/sdk/gov/v1/gov_pb.ts'
import { moduleAccount } from '../../sdk/module-account.ts'
import { bytesValue, cacheLast, protoValue, uint64Value } from '../../store/collections/codecs.ts'
import { bareItem, map } from '../../store/collections/collections.ts'
import { addressKey, pairKey, timeKey, uint64Key } from '../../store/collections/key-codecs.ts'

const STORE = 'gov'

/** The account that contains the deposits of open proposals. It burns deposits that are lost. */
export const account = moduleAccount('gov', 'burner')

type ByProposal = readonly [id: bigint, address: Uint8Array]

/** Codec of proposals. Submission charges gas for the length of its output. */
export const proposalValue = protoValue(ProposalSchema)

export const proposals = map<bigint, Proposal>(STORE, 0x00, uint64Key, proposalValue)
/** Proposals in the voting period, by its end and id. */
export const activeQueue = map(STORE, 0x01, pairKey(timeKey, uint64Key), uint64Value)
/** Proposals in the deposit period, by its end and id. */
export const inactiveQueue = map(STORE, 0x02, pairKey(timeKey, uint64Key), uint64Value)
/** The id of the next proposal. */
export const nextId = bareItem<bigint>(STORE, 0x03, uint64Value)
/** Ids of proposals that accept votes; each value is the byte 1. */
export const voting = map<bigint, Uint8Array>(STORE, 0x04, uint64Key, bytesValue)
export const deposits = map<ByProposal, Deposit, bigint>(
  STORE,
  0x10,
  pairKey(uint64Key, addressKey),
  protoValue(DepositSchema),
)
export const votes = map<ByProposal, Vote, bigint>(STORE, 0x20, pairKey(uint64Key, addressKey), protoValue(VoteSchema))
export const params = bareItem<Params>(STORE, 0x30, cacheLast(protoValue(ParamsSchema)))
