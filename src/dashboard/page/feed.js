document.body.append("ahma_mcp");
