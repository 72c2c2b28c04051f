/** What is a secret in the value of a setting, or could be one (S25). Pure. */

/** A user name or password, a query, a word for a secret, or a variable whose value is not known here. */
const SECRET = /[@?]|\$\{|token|secret|passw|passphrase|credential|_auth|api[-_]?key/i;
/** A part of an address that no person gave it: registries take tokens so. */
const TOKEN = /^(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{16,}$/;

/** Whether the value holds a secret, or what looks like one. */
export function isSecret(value: string): boolean {
  return SECRET.test(value) || value.includes("://") && value.split(/[^A-Za-z0-9]/).some((part) => TOKEN.test(part));
}
