/**
 * The messages of the Cosmos SDK that CosmJS itself knows, in its versions 0.32 to 0.39. `MsgCreateVestingAccount` is left out: CosmJS
 * encodes times from 2038 on in bytes that no node reads, and its amino form has `delayed` also when it is false.
 */

const STAKING = [
  'BeginRedelegate',
  'CancelUnbondingDelegation',
  'CreateValidator',
  'Delegate',
  'EditValidator',
  'Undelegate',
]
const DISTRIBUTION = [
  'FundCommunityPool',
  'SetWithdrawAddress',
  'WithdrawDelegatorReward',
  'WithdrawValidatorCommission',
]
const VOTING = ['Deposit', 'SubmitProposal', 'Vote', 'VoteWeighted']

/** Messages with an amino converter, by package. */
const CONVERTED: Readonly<Record<string, readonly string[]>> = {
  'sdk.bank.v1beta1': ['MultiSend', 'Send'],
  'sdk.distribution.v1beta1': DISTRIBUTION,
  'sdk.gov.v1beta1': VOTING,
  'sdk.staking.v1beta1': STAKING,
}

/** Messages with a type alone, by package. */
const REGISTERED: Readonly<Record<string, readonly string[]>> = {
  'sdk.authz.v1beta1': ['Exec', 'Grant', 'Revoke'],
  'sdk.feegrant.v1beta1': ['GrantAllowance', 'RevokeAllowance'],
  'sdk.gov.v1': [...VOTING, 'UpdateParams'],
}

const namesOf = (messages: Readonly<Record<string, readonly string[]>>): readonly string[] =>
  Object.entries(messages).flatMap(([name, verbs]) => verbs.map((verb) => `${name}.Msg${verb}`))

/** Neutral names of the messages with an amino converter in CosmJS. */
export const convertedByCosmJs: ReadonlySet<string> = new Set(namesOf(CONVERTED))
/** Neutral names of the messages with a type in CosmJS. */
export const registeredByCosmJs: ReadonlySet<string> = new Set([...convertedByCosmJs, ...namesOf(REGISTERED)])
