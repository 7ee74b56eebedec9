/**
 * Limits of everything nested. They are spent while input is read, before any recursive function sees it, so that no result
 * depends on the stack (ADR 0021).
 */

/**
 * Maximum number of levels of a message: the message itself, messages within it, contents of `Any` values, groups. A proposal
 * that executes an execution of transfers has 9; the Cosmos SDK decodes 10 `Any` values within each other (ASA-2024-0012),
 * which are 20 levels and those of their last content. Beyond: the message is refused.
 */
export const MAX_LEVELS = 32

/**
 * Maximum number of messages, contents of `Any` values and groups within a message. A node takes two bytes and becomes an
 * object of over a hundred. A transfer to as many recipients costs more gas than a block has. Beyond: the message is refused.
 */
export const MAX_NODES = 65_536

/**
 * Levels of JSON: a message of `MAX_LEVELS` has each level in a list, and a document around it. Beyond: the request is
 * refused.
 */
export const MAX_JSON_LEVELS = 100
