/**
 * What the interpreter asks the host for. Addresses and slots go over in A, values come back in B, big-endian words.
 * Those that return an i32 return the gas to pay.
 */
export declare function sload(): i32
export declare function sstore(): i32
export declare function tload(): void
export declare function tstore(): void
export declare function balance(): i32
export declare function selfbalance(): void
export declare function extcodehash(): i32
/** Pays for access to the account in A and leaves its code size as u32 in B. */
export declare function extcodesize(): i32
/** Copies code of the account in A, zeros behind its end. */
export declare function extcodecopy(target: usize, offset: u32, length: u32): void
export declare function blockhash(): void
export declare function blobhash(index: u32): void
/** Topics are words in memory's order, each 32 bytes below the one before. */
export declare function log(data: usize, length: u32, topics: usize, count: u32): void
/** In a static frame only its price counts. */
export declare function selfdestruct(isStatic: u32): i32
/** The price of calling the account in A: access, a delegation's target, a new account. */
export declare function callcost(opcode: u32, valued: u32): i32
/** Copies from a return data that did not fit RETURN_DATA. */
export declare function returndatacopy(target: usize, offset: u32, length: u32): void
/** The machine gives no more memory, which is no failure of the code: ends here, by what the host throws. */
export declare function noMemory(): void
/** Heard when fuel is used up between two jumps; an execution that shall not go on ends here, by what the host throws. */
export declare function pause(): void
