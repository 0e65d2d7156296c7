"""Next steps for the user: rules that propose them, their risk, and the question to an LLM."""
