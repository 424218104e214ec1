/**
 * The screens of signing in, which are loaded together.
 *
 * @module
 */
export { Forgotten } from "./Forgotten.tsx"
export { SignIn } from "./SignIn.tsx"
export { Welcome } from "./Welcome.tsx"
