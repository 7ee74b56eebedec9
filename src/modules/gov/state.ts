/** Collections of store `gov` (support-modules.md §7.5), and the account that deposits lie in. */
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
import { bytesValue, protoValue, uint64Value } from '../../store/collections/codecs.ts'
import { bareItem, map } from '../../store/collections/collections.ts'
import { addressKey, pairKey, timeKey, uint64Key } from '../../store/collections/key-codecs.ts'

const STORE = 'gov'

/** Holds the deposits of open proposals, and burns those that are lost. */
export const account = moduleAccount('gov', 'burner')

type ByProposal = readonly [id: bigint, address: Uint8Array]

/** Bytes of a proposal, whose number is paid for. */
export const proposalValue = protoValue(ProposalSchema)

export const proposals = map<bigint, Proposal>(STORE, 0x00, uint64Key, proposalValue)
/** Proposals in their voting period, by its end and id. */
export const activeQueue = map(STORE, 0x01, pairKey(timeKey, uint64Key), uint64Value)
/** Proposals that wait for deposits, by the end of that and id. */
export const inactiveQueue = map(STORE, 0x02, pairKey(timeKey, uint64Key), uint64Value)
/** The id of the next proposal. */
export const nextId = bareItem<bigint>(STORE, 0x03, uint64Value)
/** What may be voted on, each with a byte 1. */
export const voting = map<bigint, Uint8Array>(STORE, 0x04, uint64Key, bytesValue)
export const deposits = map<ByProposal, Deposit, bigint>(
  STORE,
  0x10,
  pairKey(uint64Key, addressKey),
  protoValue(DepositSchema),
)
export const votes = map<ByProposal, Vote, bigint>(STORE, 0x20, pairKey(uint64Key, addressKey), protoValue(VoteSchema))
export const params = bareItem<Params>(STORE, 0x30, protoValue(ParamsSchema))
