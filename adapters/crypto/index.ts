/**
 * The ports of cryptography, by `node:crypto`.
 *
 * @module
 */
export * as Crypto from "./Crypto.ts"
export * as KeyMaker from "./KeyMaker.ts"
export * as SecretBox from "./SecretBox.ts"
export * as SecretKey from "./SecretKey.ts"
