/** Logins to servers behind, with the real program: of a person, of clients that log in by themselves, and what uses them. */
import "./login.ts";
import "./refresh.ts";
import "./calls.ts";
import "./client.ts";
import "./addresses.ts";
import "./independent.ts";
