/** A thread that parses PDF files for a test. */
import { serveParser } from "../../thread/_support/mutants.ts";
import { pdfText } from "../pdf_text.ts";

serveParser(async (bytes) => (await pdfText({ bytes, range: undefined })).text);
