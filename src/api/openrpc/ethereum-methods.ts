/**
 * Descriptions of the methods of JSON-RPC, one on each line: `name(parameter:type, optional?:type) result: text`. The types are
 * those of `types.ts`; `!` after the result means that the method runs code, which can revert.
 */

export const ETHEREUM_METHODS = `
eth_blockNumber() quantity: Returns the number of the newest block.
eth_accounts() addresses: Returns the accounts whose keys the node has; none unless it is a development chain.
eth_requestAccounts() addresses: Returns the same as eth_accounts, for pages that ask a wallet.
eth_networkId() text: Returns the EVM chain id as decimal text.
eth_chainId() quantity: Returns the EVM chain id, which signatures contain.
eth_protocolVersion() text: Returns the version of the protocol, for clients that ask it.
eth_syncing() json: Returns false, or an object with heights while the node catches up.
eth_gasPrice() quantity: Returns a price that the next block accepts. Unit: wei for each unit of gas.
eth_maxPriorityFeePerGas() quantity: Returns a tip that the next block accepts. Unit: wei for each unit of gas.
eth_capabilities() object: Returns which heights of state, blocks, logs and receipts this node has.
eth_config() object: Returns the fork rules that are in force and those that follow (EIP-7910).
eth_blobBaseFee() quantity: Returns the price of blob gas, a constant: the chain takes no blobs. Unit: wei.
eth_baseFee() quantity: Returns the base fee of the next block. Unit: wei for each unit of gas.
eth_feeHistory(count:quantity, newest:block, percentiles?:numbers) object: Returns base fees, use of gas and tips of a range of blocks.
eth_getBlockByNumber(block:block, whole?:boolean) block: Returns a block, with hashes of its transactions or, if whole, with the transactions; null if it does not exist.
eth_getBlockByHash(hash:hash, whole?:boolean) block: Returns the block of a hash, with hashes of its transactions or, if whole, with the transactions; null if it does not exist.
eth_getHeaderByNumber(block:block) block: Returns the header of a block; null if it does not exist.
eth_getHeaderByHash(hash:hash) block: Returns the header of the block of a hash; null if it does not exist.
eth_getBlockTransactionCountByNumber(block:block) quantity: Returns the number of Ethereum transactions of a block.
eth_getBlockTransactionCountByHash(hash:hash) quantity: Returns the number of Ethereum transactions of the block of a hash.
eth_getUncleCountByBlockNumber(block:block) quantity: Returns 0: the chain has no uncles.
eth_getUncleCountByBlockHash(hash:hash) quantity: Returns 0: the chain has no uncles.
eth_getUncleByBlockNumberAndIndex(block:block, index:quantity) json: Returns null: the chain has no uncles.
eth_getUncleByBlockHashAndIndex(hash:hash, index:quantity) json: Returns null: the chain has no uncles.
eth_getBlockReceipts(block:block) objects: Returns the receipts of all Ethereum transactions of a block.
eth_getTransactionByHash(hash:hash) transaction: Returns a transaction, from a block or the pool; null if neither has it.
eth_getTransactionByBlockHashAndIndex(hash:hash, index:quantity) transaction: Returns a transaction by its place in the block of a hash.
eth_getTransactionByBlockNumberAndIndex(block:block, index:quantity) transaction: Returns a transaction by its place in a block.
eth_getRawTransactionByBlockHashAndIndex(hash:hash, index:quantity) bytes: Returns the bytes of a transaction by its place in the block of a hash.
eth_getRawTransactionByBlockNumberAndIndex(block:block, index:quantity) bytes: Returns the bytes of a transaction by its place in a block.
eth_getTransactionBySenderAndNonce(sender:address, nonce:quantity) transaction: Returns the transaction of a sender with a nonce.
eth_getRawTransactionByHash(hash:hash) bytes: Returns the signed bytes of a transaction.
eth_getTransactionReceipt(hash:hash) receipt: Returns the receipt of a committed transaction: status, gas, logs; null if no block has it.
eth_getTransactionLogs(hash:hash) logs: Returns the logs of a committed transaction.
eth_getTransactionCount(account:address, block?:block) quantity: Returns the number of transactions that an account has sent: its next nonce.
eth_pendingTransactions() objects: Returns the transactions of the pool that the node's own accounts have sent.
eth_getPendingTransactions() objects: Returns the same as eth_pendingTransactions.
eth_sendRawTransaction(transaction:bytes) hash: Hands a signed transaction to the pool, and returns its hash.
eth_sendRawTransactionSync(transaction:bytes, timeout?:quantity) receipt: Hands a signed transaction to the pool, waits for its block at most timeout milliseconds, and returns the receipt.
eth_fillTransaction(call:call) object: Returns a transaction with the fields that were missing: nonce, gas and prices.
eth_getBalance(account:address, block?:block) quantity: Returns the native balance of an account. Unit: wei.
eth_getStorageAt(account:address, slot:slot, block?:block) hash: Returns one storage slot of a contract, 32 bytes.
eth_getCode(account:address, block?:block) bytes: Returns the code of a contract; 0x for other accounts.
eth_getAccountInfo(account:address, block?:block) object: Returns balance, nonce and code of an account.
eth_getAccount(account:address, block?:block) object: Returns balance, nonce, code hash and storage hash of an account.
eth_getStorageValues(requests:slotsByAddress, block?:block) object: Returns several slots of several contracts: slots by address.
eth_getProof(account:address, slots:slots, block?:block) object: Returns an account and slots with ICS-23 proofs against the app hash.
eth_call(call:call, block?:block, state?:overrides, blockFields?:overrides) bytes!: Executes a call on the state of a block without a transaction, and returns its output.
eth_estimateGas(call:call, block?:block, state?:overrides, blockFields?:overrides) quantity!: Returns the least gas limit with which a call succeeds. Unit: gas.
eth_createAccessList(call:call, block?:block, state?:overrides) object!: Returns the addresses and slots that a call reads, and its gas with them.
eth_simulateV1(simulation:object, block?:block) objects: Executes blocks of calls one after the other, with overrides, and returns the blocks.
eth_newFilter(filter:filter) text: Creates a filter of logs, and returns its id.
eth_newBlockFilter() text: Creates a filter of new blocks, and returns its id.
eth_newPendingTransactionFilter(whole?:boolean) text: Creates a filter of transactions that enter the pool, and returns its id.
eth_getFilterChanges(id:text) objects: Returns what a filter has found since it was last asked.
eth_getFilterLogs(id:text) logs: Returns all logs that a filter of logs finds.
eth_uninstallFilter(id:text) boolean: Removes a filter; false if it does not exist.
eth_getLogs(filter:filter) logs: Searches the logs of a range of blocks by address and topics.
eth_subscribe(kind:text, options?:json) text: Subscribes to newHeads, logs, newPendingTransactions, transactionReceipts or syncing over WebSocket, and returns the id.
eth_unsubscribe(id:text) boolean: Ends a subscription; false if it does not exist.
eth_mining() boolean: Returns whether the development chain makes blocks.
eth_coinbase() address: Returns the coinbase of the next block.
eth_hashrate() quantity: Returns 0: blocks need no work.
eth_sendTransaction(call:call) hash: Signs a transaction with a key of the node, and hands it to the pool.
eth_sendTransactionSync(call:call, timeout?:quantity) receipt: Signs a transaction with a key of the node, waits for its block at most timeout milliseconds, and returns the receipt.
eth_resend(call:call, price?:quantity, gas?:quantity) hash: Replaces a waiting transaction by one with another price or gas limit.
eth_signTransaction(call:call) object: Signs a transaction with a key of the node, and returns it with its bytes.
eth_sign(account:address, message:bytes) bytes: Signs a message with a key of the node (EIP-191).
eth_signTypedData(account:address, data:json) bytes: Signs typed data with a key of the node (EIP-712).
eth_signTypedData_v3(account:address, data:json) bytes: Signs typed data without arrays with a key of the node (EIP-712).
eth_signTypedData_v4(account:address, data:json) bytes: Signs typed data with a key of the node (EIP-712).
eth_sendUnsignedTransaction(call:call) hash: Sends a transaction from any account of a development chain, without a signature.
personal_sign(message:bytes, account:address, password?:json) bytes: Signs a message with a key of the node (EIP-191). The password is ignored.
personal_ecRecover(message:bytes, signature:bytes) address: Returns the account whose key signed a message (EIP-191).
personal_listAccounts() addresses: Returns the same as eth_accounts.
tenderly_setBalance(account:address, wei:count) json: Returns the same as anvil_setBalance.
tenderly_addBalance(account:address, wei:count) json: Returns the same as anvil_addBalance.
net_version() text: Returns the EVM chain id as decimal text.
net_listening() boolean: Returns whether the node takes connections of peers.
net_peerCount() quantity: Returns the number of peers.
web3_clientVersion() text: Returns name and version of the program.
web3_sha3(data:bytes) hash: Returns the Keccak-256 hash of bytes.
rpc_modules() object: Returns the namespaces of methods that this connection serves.
rpc.discover() object: Returns this document.
txpool_content() object: Returns the transactions of the pool, by sender and nonce.
txpool_contentFrom(account:address) object: Returns the transactions of one sender in the pool, by nonce.
txpool_inspect() object: Returns the transactions of the pool as short texts.
txpool_status() object: Returns the number of transactions in the pool that are ready, and that wait for another one.
debug_getRawHeader(block:block) bytes: Returns the header of a block, in RLP.
debug_getRawBlock(block:block) bytes: Returns a block, in RLP.
debug_getHeaderRlp(block:block) bytes: Returns the header of a block, in RLP.
debug_getBlockRlp(block:block) bytes: Returns a block, in RLP.
debug_getRawTransaction(hash:hash) bytes: Returns the signed bytes of a transaction.
debug_getRawReceipts(block:block) texts: Returns the receipts of a block, each in its binary form.
debug_printBlock(block:block) text: Returns a block as text for people.
debug_getBadBlocks() objects: Returns an empty list: the node stores no refused block.
debug_gcStats() object: Returns the number of garbage collections and their pauses.
debug_memStats() object: Returns the memory of the process. Unit: bytes.
debug_traceBadBlock(hash:hash, options?:tracer) objects: Fails: the node stores no refused block.
debug_traceTransaction(hash:hash, options?:tracer) json: Executes a transaction again on its own state, and returns the trace.
debug_traceCall(call:call, block?:block, options?:tracer) json: Executes a call on the state of a block, and returns the trace.
debug_traceBlock(block:bytes, options?:tracer) objects: Executes a block that is given in RLP, and returns its traces.
debug_traceBlockByNumber(block:block, options?:tracer) objects: Executes a block again, and returns the traces of its transactions.
debug_traceBlockByHash(hash:hash, options?:tracer) objects: Executes the block of a hash again, and returns the traces of its transactions.
debug_traceCallMany(bundles:json, place?:json, options?:tracer) json: Executes calls one after the other, and returns their traces.
debug_storageRangeAt(hash:hash, index:quantity, account:address, start:bytes, limit:quantity) object: Returns slots of a contract as they were before a transaction.
debug_accountRange(block:block, start?:bytes, limit?:quantity, noCode?:boolean, noStorage?:boolean, incomplete?:boolean) object: Returns accounts of a state, page by page.
debug_dumpBlock(block:block) object: Returns the accounts of the state after a block.
debug_getModifiedAccountsByNumber(from:block, to?:block) addresses: Returns the accounts that a range of blocks has changed.
debug_getModifiedAccountsByHash(from:hash, to?:hash) addresses: Returns the accounts that a range of blocks has changed.
debug_getAccessibleState(from:block, to:block) quantity: Returns the first height of a range whose state can be read.
debug_codeByHash(hash:hash, block?:block) bytes: Returns code by its hash.
debug_dbGet(key:bytes) bytes: Returns a value by its key in the layout of geth, where this node has it.
debug_setHead(block:quantity) json: Returns a development chain to an earlier block.
trace_block(block:block) objects: Returns the calls of all transactions of a block, as a flat list.
trace_transaction(hash:hash) objects: Returns the calls of a transaction, as a flat list.
trace_get(hash:hash, path:json) object: Returns one call of a transaction by its path.
trace_filter(filter:filter) objects: Searches calls by sender and receiver in a range of blocks.
trace_call(call:call, kinds:texts, block?:block, state?:overrides, blockFields?:overrides) object: Executes a call, and returns its trace, changes of state, or steps.
trace_callMany(calls:json, block?:block) objects: Executes calls one after the other, and returns the traces of each.
trace_rawTransaction(transaction:bytes, kinds:texts, block?:block) object: Executes a signed transaction without sending it, and returns its traces.
trace_replayTransaction(hash:hash, kinds:texts) object: Executes a transaction again, and returns its trace, changes of state, or steps.
trace_replayBlockTransactions(block:block, kinds:texts) objects: Executes the transactions of a block again, and returns the traces of each.
ots_getApiLevel() json: Returns the version of this namespace.
ots_hasCode(account:address, block?:block) boolean: Returns whether an account has code.
ots_getInternalOperations(hash:hash) objects: Returns the transfers and creations within a transaction.
ots_traceTransaction(hash:hash) objects: Returns the calls of a transaction with their depth.
ots_getTransactionError(hash:hash) bytes: Returns the data of the revert of a transaction; 0x without one.
ots_getBlockDetails(block:block) object: Returns a block with the sum of its fees.
ots_getBlockDetailsByHash(hash:hash) object: Returns the block of a hash with the sum of its fees.
ots_getBlockTransactions(block:block, page:quantity, size:quantity) object: Returns a page of the transactions of a block with receipts.
ots_searchTransactionsBefore(account:address, block:quantity, size:quantity) object: Returns transactions that touch an account, backwards from a block.
ots_searchTransactionsAfter(account:address, block:quantity, size:quantity) object: Returns transactions that touch an account, forwards from a block.
ots_getTransactionBySenderAndNonce(sender:address, nonce:quantity) hash: Returns the hash of the transaction of a sender with a nonce.
ots_getContractCreator(account:address) object: Returns the transaction and the sender that created a contract.
erigon_getHeaderByNumber(block:block) block: Returns the header of a block; null if it does not exist.
evm_mine(options?:json) json: Makes a block now, at a time if one is given.
miner_start(threads?:json) json: Lets the development chain make blocks.
miner_stop() json: Stops the development chain from making blocks.
almanac_setValidator(validator:json, changes:json) json: Changes a validator of a development chain.
almanac_nodeLog(after?:json) json: Returns the latest records of the node's log, on a development chain.
`

/** Methods of geth that the node refuses with a reason, whatever their parameters. */
export const REFUSED_METHODS = `debug_executionWitness debug_executionWitnessByHash debug_intermediateRoots debug_preimage
debug_chaindbProperty debug_chaindbCompact debug_dbAncient debug_dbAncients debug_setTrieFlushInterval debug_getTrieFlushInterval
debug_standardTraceBlockToFile debug_standardTraceBadBlockToFile debug_traceBlockFromFile debug_traceChain
debug_verbosity debug_vmodule`

/** Verbs of development chains, with the prefixes `anvil_`, `hardhat_` and `evm_`. */
export const DEVELOPMENT_VERBS = `
setBalance(account:address, wei:count) json: Sets the native balance of an account. Unit: wei.
addBalance(account:address, wei:count) json: Adds to the native balance of an account. Unit: wei.
setCode(account:address, code:bytes) json: Sets the code of an account.
setNonce(account:address, nonce:count) json: Sets the nonce of an account.
setStorageAt(account:address, slot:slot, value:hash) boolean: Sets one storage slot of a contract.
setAccountBalance(account:address, wei:count) json: Sets the native balance of an account. Unit: wei.
setAccountCode(account:address, code:bytes) json: Sets the code of an account.
setAccountNonce(account:address, nonce:count) json: Sets the nonce of an account.
setAccountStorageAt(account:address, slot:slot, value:hash) json: Sets one storage slot of a contract.
impersonateAccount(account:address) json: Accepts transactions of an account without its signature.
stopImpersonatingAccount(account:address) json: Ends the impersonation of an account.
impersonateSignature(signature:json, account?:json) json: Makes ECRECOVER return an account for a signature.
autoImpersonateAccount(on:boolean) json: Accepts transactions of every account without a signature.
setNextBlockBaseFeePerGas(wei:count) json: Sets the base fee of all later blocks. Unit: wei.
setCoinbase(account:address) json: Sets the coinbase of later blocks.
setPrevRandao(value:hash) json: Sets PREVRANDAO of later blocks.
setBlockGasLimit(gas:count) boolean: Sets the gas limit of later blocks. Unit: gas.
dumpState(states?:boolean) bytes: Returns the chain as anvil writes it, packed; with the states of all blocks if asked for.
loadState(dump:bytes) boolean: Adds the blocks and accounts of a dump.
dealERC20(account:address, token:address, amount:count) json: Sets the ERC-20 balance of an account. Unit: smallest units of the token.
setERC20Balance(account:address, token:address, amount:count) json: Sets the ERC-20 balance of an account. Unit: smallest units of the token.
setERC20Allowance(owner:address, spender:address, token:address, amount:count) json: Sets an ERC-20 allowance. Unit: smallest units of the token.
mine(blocks?:json, seconds?:json) json: Makes blocks now, with an interval between them.
mine_detailed(options?:json) objects: Makes blocks now, and returns them with the output of each transaction.
enableTraces() json: Is refused: traces need no preparation.
getBlobByHash(hash?:json) json: Is refused: the chain takes no blobs.
getBlobsByTransactionHash(hash?:json) json: Is refused: the chain takes no blobs.
getBlobSidecarsByBlockId(block?:json) json: Is refused: the chain takes no blobs.
reorg(depth:json, transactions?:json) json: Goes back by a number of blocks, and makes as many with other transactions.
snapshot() quantity: Keeps the whole chain as it is, and returns the number of the snapshot.
revert(snapshot:count) boolean: Returns the whole chain to a snapshot, and removes it.
rollback(depth?:count) json: Goes back by a number of blocks.
reset(options?:json) json: Returns the chain to its genesis. A URL to fork from is refused.
increaseTime(seconds:count) quantity: Moves the clock of the chain forwards. Unit: seconds.
setTime(timestamp:count) quantity: Sets the clock of the chain. Unit: Unix seconds.
setNextBlockTimestamp(timestamp:count) json: Sets the time of the next block. Unit: Unix seconds.
setBlockTimestampInterval(interval:count) json: Sets the time between blocks. Unit: seconds; milliseconds with hardhat_.
removeBlockTimestampInterval() boolean: Lets the clock decide the times of blocks again.
getAutomine() boolean: Returns whether a transaction makes a block at once.
setAutomine(on:boolean) json: Decides whether a transaction makes a block at once.
getIntervalMining() json: Returns the interval between blocks; null without one.
setIntervalMining(interval:json) json: Makes a block in each interval; 0 ends it. Unit: seconds; milliseconds with hardhat_.
dropTransaction(hash:hash) json: Removes a transaction from the pool.
dropAllTransactions() json: Removes all transactions from the pool.
removePoolTransactions(account:address) json: Removes the transactions of an account from the pool.
setMinGasPrice(wei:count) json: Sets the least gas price of the pool. Unit: wei for each unit of gas.
setLoggingEnabled(on:boolean) json: Decides whether the node logs requests.
setRpcUrl(url:text) json: Is refused: the chain does not fork from another one.
setChainId(id:count) json: Accepts only the chain id that the chain has.
getGenesisTime() json: Returns the time of genesis. Unit: Unix seconds.
nodeInfo() object: Returns height, time, fork and prices of the development chain.
metadata() object: Returns version, chain id and snapshots of the development chain.
`
