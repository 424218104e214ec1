/**
 * The ports of cryptography, implemented with `node:crypto`, and those of passwords and one-time codes.
 *
 * @module
 */
export * as Crypto from "./Crypto.ts"
export * as KeyMaker from "./KeyMaker.ts"
export * as OneTimeCodes from "./OneTimeCodes.ts"
export * as PasswordHasher from "./PasswordHasher.ts"
export * as PasswordStrength from "./PasswordStrength.ts"
export * as SecretBox from "./SecretBox.ts"
export * as SecretKey from "./SecretKey.ts"
export * as SignatureVerifier from "./SignatureVerifier.ts"
